"""LoRA adapters on the chat server: what each is called there, and the frozen prompt it was trained on."""
