"""Training of LoRA adapters: from examples and a recipe to the weights of an adapter; killed runs continue."""
