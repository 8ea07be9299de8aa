"""A person's own conversations, beside the chat: found, renamed, exported, deleted."""

from ui.conversations_list.page import ConversationsList

__all__ = ["ConversationsList"]
