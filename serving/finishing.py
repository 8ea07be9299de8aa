"""Finishing: an answer becomes what its client gets, cut as they want it, its citations in every client's shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contracts.answer import Answer
from library.records.answers import values_of
from serving.asking import Asked
from serving.cutting import CutAnswer, cut_answer, tokens_of
from serving.extension import golden_answer
from serving.offers import Offer
from serving.sources import citing_fields
from serving.tasks.following import follow_ups
from serving.wire import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """A finished answer: its content, what stands beside it by field, and its usage."""

    cut: CutAnswer
    fields: Mapping[str, Any]
    usage: Usage


class Finisher:
    """Finishes the answer to one request; ``metadata`` is what its client wants back."""

    def __init__(self, asked: Asked, offer: Offer, *, metadata: Mapping[str, str] | None = None) -> None:
        self._asked = asked
        self._offer = offer
        self._metadata = metadata

    async def finish(self, answer: Answer) -> Finish:
        """Return what the client gets for ``answer``."""
        cut = cut_answer(answer, self._asked.bounds)
        reporter = self._offer.readings
        readings = await reporter.report(cut.answer.citations) if reporter and cut.answer.citations else {}
        fields: dict[str, Any] = citing_fields(cut.answer, self._offer.links)
        if self._metadata:
            fields["metadata"] = dict(self._metadata)
        golden = golden_answer(
            cut.answer, readings, passages=self._asked.passages, follow_ups=await self._follow_ups(answer)
        )
        if self._asked.full_answer:
            golden.answer = values_of(cut.answer)
        fields["golden"] = golden.model_dump()
        return Finish(cut=cut, fields=fields, usage=usage_of(self._asked.prompt_tokens, cut.content))

    async def _follow_ups(self, answer: Answer) -> tuple[str, ...]:
        asked, suggester = self._asked, self._offer.suggester
        if not asked.follow_ups or suggester is None or answer.outcome != "answered":
            return ()
        before = [turn.text for turn in asked.history if turn.role == "user"]
        said = f"{answer.standalone_question or answer.question} {answer.text}"
        explained = [each.mention.term for each in answer.readings if each.sense is not None]
        return await follow_ups(said, [*before, asked.question], suggester, asked.asker, explained=explained)


def usage_of(prompt_tokens: int, content: str) -> Usage:
    """Return the usage of an answer."""
    completion = tokens_of(content)
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=completion, total_tokens=prompt_tokens + completion)
