"""A triple extractor that uses a chat model."""

from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from golden_lab.triple_extraction.normalisation import normalise_all
from golden_lab.triples.triple import ExtractedTriples, Triple
from tools.chat.base import ChatModel
from tools.concurrency import run_concurrently
from tools.language import cut_at_sentences
from tools.prompt_delimiters import delimit_texts, make_code
from tools.prompted_model import Inquiry, PromptedModel

# A piece of this size contains about a hundred claims at most, which fit into a reply of the size below.
_MAX_CHARACTERS = 6_000
_AT_ONCE = 4


class WrittenClaim(BaseModel):
    """One claim of the reply."""

    model_config = ConfigDict(extra="ignore")

    subject: str = Field(min_length=1)
    predicate: str = Field(min_length=1)
    object: str = Field(min_length=1)


class WrittenClaims(BaseModel):
    """The reply that the prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    claims: list[WrittenClaim]


class PromptedTripleExtractor:
    """Asks a chat model for the claims of a text as JSON; a malformed reply is sent back once.

    A long text is sent in pieces of whole sentences, a few pieces at a time. Claims from the model are normalised by
    the same rules as those of the embedded extractor.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._prompted = PromptedModel(chat, Path(__file__).with_name("llm.toml"), max_tokens=4_000)

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised, and nothing else. Empty text has none.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the requested form.
        """
        inquiry = self._prompted.begin()
        pieces = cut_at_sentences(text, _MAX_CHARACTERS)
        replies = await run_concurrently([partial(_ask, inquiry, piece) for piece in pieces], _AT_ONCE)
        found = [
            Triple(subject=each.subject, predicate=each.predicate, object=each.object)
            for reply in replies
            for each in reply.claims
        ]
        return ExtractedTriples(triples=normalise_all(found), provenance=inquiry.provenance())


async def _ask(inquiry: Inquiry, piece: str) -> WrittenClaims:
    code = make_code(piece)
    return await inquiry.ask(inquiry.request({"section": delimit_texts([piece], code), "code": code}), WrittenClaims)
