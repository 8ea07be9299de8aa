"""Exports an adapter for vLLM, with a model card and the declaration that the bot reads."""
