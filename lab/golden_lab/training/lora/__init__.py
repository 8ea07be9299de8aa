"""Training of LoRA adapters from examples and a recipe; killed runs can be continued."""
