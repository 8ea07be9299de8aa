"""Chat servers behind one contract."""

from tools.chat.base import ChatMessage, ChatModel, ChatReply, ChatRequest, ContextWindow, ReplyToken, TokenOption

__all__ = ["ChatMessage", "ChatModel", "ChatReply", "ChatRequest", "ContextWindow", "ReplyToken", "TokenOption"]
