"""LoRA adapters on the chat server: their names on the server, and the frozen prompts they were trained on."""
