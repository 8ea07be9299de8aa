"""A person's own conversations, beside the chat: found, renamed, exported, deleted."""
