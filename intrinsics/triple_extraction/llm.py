"""A triple extractor on a chat model."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.triples import ExtractedTriples, Triple
from intrinsics.triple_extraction.normalisation import normalise_all
from tools.chat.base import ChatModel
from tools.language import cut_at_sentences
from tools.prompting import PromptedModel
from tools.reading.fencing import fence_texts, make_fence

# A piece of this size makes at most some hundred claims, which a reply of the size below holds.
_MAX_CHARACTERS = 6_000


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
    """Asks a chat model for the claims of a text as JSON; a reply of another form is sent back once.

    A long text is asked about in pieces of whole sentences. What the model writes is put in normal form by the same
    rules as the claims of the embedded extractor.
    """

    def __init__(
        self, chat: ChatModel, *, model: str = "", max_tokens: int = 4_000, prompt_path: Path | None = None
    ) -> None:
        path = prompt_path or Path(__file__).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised; nothing that it does not say. Empty text has none.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        inquiry = self._prompted.begin()
        found: list[Triple] = []
        for piece in cut_at_sentences(text, _MAX_CHARACTERS):
            fence = make_fence(piece)
            request = inquiry.request({"section": fence_texts([piece], fence), "fence": fence})
            reply = await inquiry.ask(request, WrittenClaims)
            found.extend(
                Triple(subject=each.subject, predicate=each.predicate, object=each.object) for each in reply.claims
            )
        return ExtractedTriples(triples=normalise_all(found), provenance=inquiry.provenance())
