"""LoRA adapters on the chat server: the name of each there, and the frozen prompt it was trained on."""
