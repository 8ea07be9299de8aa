"""Export: an adapter as vLLM serves it, with a model card, and the declaration that the bot reads."""
