"""The services that the pages use: the functions that the HTTP routes call, too."""

from dataclasses import dataclass

from serving.dictionary.service import DictionaryService
from serving.me import MeDesk


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the pages show and change things through. Each function takes the actor of the browser's request."""

    me: MeDesk
    dictionary: DictionaryService
