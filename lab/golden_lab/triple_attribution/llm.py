"""A triple attributor that has a chat model judge a few claims at a time."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from golden_lab.triples.triple import AttributionVerdict, ClaimCandidates, ClaimSupport, Triple
from tools.chat.base import ChatModel
from tools.concurrency import run_concurrently
from tools.prompt_delimiters import delimit_texts, make_code
from tools.prompted_model import Inquiry, PromptedModel

_AT_ONCE = 4


class ClaimEvidence(BaseModel):
    """The judgement on one claim: its index and the candidates that it needs."""

    model_config = ConfigDict(extra="ignore")

    index: int = Field(ge=0)
    evidence: list[int]


class PromptedTripleAttributor:
    """Asks a chat model which candidates support each claim, ``batch`` claims per request, a few requests at a time.

    The reply is guided by a schema. A reply that omits a claim, judges one twice, or names a claim or candidate that
    was not shown is sent back once.
    """

    def __init__(self, chat: ChatModel, *, batch: int = 8) -> None:
        self._batch = batch
        self._prompted = PromptedModel(chat, Path(__file__).with_name("llm.toml"), max_tokens=1_200)

    async def attribute(self, claims: Sequence[ClaimCandidates]) -> AttributionVerdict:
        """Judge each claim against its own candidates; a claim without candidates has no support and is not sent.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies for a batch did not have the requested form.
        """
        inquiry = self._prompted.begin()
        asked = [number for number, each in enumerate(claims) if each.candidates]
        batches = [asked[start : start + self._batch] for start in range(0, len(asked), self._batch)]
        judged = await run_concurrently(
            [partial(_judge, {number: claims[number] for number in batch}, inquiry) for batch in batches], _AT_ONCE
        )
        found = {number: support for batch in judged for number, support in batch.items()}
        return AttributionVerdict(
            claims=tuple(found.get(number, ClaimSupport(evidence=())) for number in range(len(claims))),
            provenance=inquiry.provenance(),
        )


async def _judge(claims: Mapping[int, ClaimCandidates], inquiry: Inquiry) -> dict[int, ClaimSupport]:
    blocks = [_shown(number, each) for number, each in claims.items()]
    code = make_code(*blocks)
    request = inquiry.request(
        {"claims": delimit_texts(blocks, code), "code": code, "indexes": ", ".join(map(str, claims))}
    )
    reply = await inquiry.ask(request, _form({number: len(each.candidates) for number, each in claims.items()}))
    return {one.index: ClaimSupport(evidence=tuple(sorted(set(one.evidence)))) for one in reply.root}


def _form(counts: Mapping[int, int]) -> type[RootModel[list[ClaimEvidence]]]:
    """Make the type of a reply; ``counts`` maps each claim to the number of its candidates."""

    class Judgements(RootModel[list[ClaimEvidence]]):
        """One judgement for each claim of the batch."""

        @model_validator(mode="after")
        def _indexes_were_shown(self) -> "Judgements":
            given = [one.index for one in self.root]
            for one in self.root:
                if one.index not in counts:
                    raise ValueError(f"claim {one.index} is not in this batch: {', '.join(map(str, counts))}")
                wrong = [number for number in one.evidence if not 0 <= number < counts[one.index]]
                if wrong:
                    raise ValueError(
                        f"claim {one.index} has candidates 0 to {counts[one.index] - 1}, and no candidate {wrong[0]}"
                    )
            if sorted(given) != sorted(counts):
                raise ValueError(f"judge each of these claims once: {', '.join(map(str, counts))}")
            return self

    return Judgements


def _shown(number: int, each: ClaimCandidates) -> str:
    lines = [f"claim {number}: {_line(each.claim)}"]
    lines.extend(f"  [{n}] {one.source}: {_line(one.triple)}" for n, one in enumerate(each.candidates))
    return "\n".join(lines)


def _line(triple: Triple) -> str:
    return " | ".join(" ".join(part.split()) for part in (triple.subject, triple.predicate, triple.object))
