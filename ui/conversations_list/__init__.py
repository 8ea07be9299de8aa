"""A person's own conversations, beside the chat: found, renamed, exported, deleted, over the HTTP API."""

from ui.conversations_list.desk import ConversationsList

__all__ = ["ConversationsList"]
