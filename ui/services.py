"""The services that the pages use: the functions that the HTTP routes call, too."""

from dataclasses import dataclass

from serving.chat import ChatService
from serving.dictionary.service import DictionaryService
from serving.documents.service import DocumentsService
from serving.me import MeService
from serving.records.service import RecordsService


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the pages show and change things through. Each function takes the actor of the browser's request."""

    me: MeService
    chat: ChatService
    dictionary: DictionaryService
    documents: DocumentsService
    records: RecordsService
