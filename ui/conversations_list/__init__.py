"""A person's own conversations, next to the chat: search, rename, export, delete."""
