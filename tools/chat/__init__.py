"""Chat servers behind one contract."""

from tools.chat.base import ChatMessage, ChatModel, ChatReply, ChatRequest, ReplyToken, TokenOption

__all__ = ["ChatMessage", "ChatModel", "ChatReply", "ChatRequest", "ReplyToken", "TokenOption"]
