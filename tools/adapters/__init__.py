"""LoRA adapters on the chat server: what each is called there, and the frozen prompt it was trained on."""

from tools.adapters.declaration import AdapterDeclaration, find_adapter, load_adapter
from tools.adapters.frozen_prompt import Conversation, mark_sentences, render
from tools.adapters.inquiry import AdapterInquiry, read_json, record_form, records_form

__all__ = [
    "AdapterDeclaration",
    "AdapterInquiry",
    "Conversation",
    "find_adapter",
    "load_adapter",
    "mark_sentences",
    "read_json",
    "record_form",
    "records_form",
    "render",
]
