"""Training of LoRA adapters: examples and a recipe in, the weights of an adapter out; killed ones go on."""
