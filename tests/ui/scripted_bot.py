"""A bot that says what it is told to: for the chat's tests, where no model is needed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue

from contracts.answer import (
    Answer,
    AnswerEvent,
    AnswerReady,
    CheckedSentence,
    Citation,
    ClarifyingOption,
    Step,
    StepFinished,
    StepStarted,
    TermsRead,
    TextDelta,
)
from contracts.errors import InvalidInput
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Asker, SensePick, Turn
from contracts.text import PageBox, Span

DLL_INTERFACES = Sense(
    id=1,
    term="DLL",
    extended_name="Delay-Locked Loop",
    context="Interfaces",
    description="Aligns the data strobe with the clock.",
    source="interfaces-handbook.pdf p. 8",
)
DLL_SOFTWARE = Sense(
    id=2,
    term="DLL",
    extended_name="Dynamic-Link Library",
    context="Software",
    description="A file of code that programs share while they run.",
)
PASSAGE = (
    "Output timing is set at start-up. The DLL needs 512 clock cycles to lock. It must be reset after a change of the "
    "clock.\nSymbol | Meaning | Value\ntDLLK | DLL lock time | 512 nCK\ntRC | Row cycle time | 48 ns"
)
_CITED = "The DLL needs 512 clock cycles to lock."


def citation(number: int = 1, **changes: object) -> Citation:
    start = PASSAGE.index(_CITED)
    values: dict[str, object] = {
        "number": number,
        "document_id": "d1",
        "document_name": "interfaces-handbook.pdf",
        "document_title": "Interfaces Handbook",
        "page": 8,
        "chunk_id": f"c{number}",
        "quote": _CITED,
        "passage_text": PASSAGE,
        "quote_spans": (Span(start, start + len(_CITED)),),
        "boxes": (PageBox(page=8, x0=72, top=120, x1=400, bottom=134),),
        "heading_path": ("DDR3", "Timing"),
    }
    return Citation(**{**values, **changes})  # type: ignore[arg-type]


def answered(question: str, sense: Sense = DLL_INTERFACES) -> Answer:
    text = "The DLL needs 512 clock cycles to lock [1]. It locks faster when it is cold. Reset it afterwards [2]."
    other = DLL_SOFTWARE if sense is DLL_INTERFACES else DLL_INTERFACES
    mention = Mention(text="DLL", span=Span(0, 3), term="DLL", known=True)
    return Answer(
        outcome="answered",
        text=text,
        question=question,
        standalone_question=question,
        context=sense.context,
        context_probability=0.92,
        readings=(Reading(mention=mention, status="chosen", sense=sense, alternatives=(sense, other)),),
        sentences=(
            CheckedSentence(text=_CITED, citations=(1,), label="faithful", probability=0.98),
            CheckedSentence(
                text="It locks faster when it is cold.",
                citations=(),
                label="unfaithful",
                probability=0.04,
                reason="No passage speaks of temperature.",
            ),
            CheckedSentence(text="Reset it afterwards.", citations=(2,), label="partial", probability=0.5),
        ),
        citations=(citation(1), citation(2, page=9, document_title="Timing parameters")),
        certainty=0.8,
    )


def procedure(question: str) -> Answer:
    steps, command = "1. Stop it.\n2. Start it.", "```\nsystemctl restart dll\n```"
    text = f"Do this [1]:\n\n{steps}\n\n{command}\n\n| Pin | Level |\n|---|---|\n| CK | 1.2 V |"
    return answered(question).model_copy(update={"text": text, "sentences": ()})


def unknown(question: str) -> Answer:
    mention = Mention(text="PRL", span=Span(0, 3), term="PRL")
    reading = Reading(mention=mention, status="unknown", suggestions=("PLR", "DLL"))
    text = "I do not know **PRL**."
    return Answer(outcome="unknown_term", text=text, question=question, readings=(reading,), unknown_terms=(reading,))


def closest_passages(question: str) -> Answer:
    quote = "Bicycles stand in the yard."
    place = {"document_id": "d2", "document_name": "house-rules.md", "document_title": "House rules", "page": 1}
    spans = {"quote_spans": (Span(0, len(quote)),), "boxes": (), "heading_path": ()}
    near = citation(1, quote=quote, passage_text=quote, **place, **spans)
    text = f"This may not answer your question.\n\n[1] house-rules.md\n\n> {quote}"
    missing = ("parking permit",)
    return Answer(outcome="closest_passages", text=text, question=question, missing=missing, closest=(near,))


def clarify(question: str) -> Answer:
    options = tuple(ClarifyingOption(number=n, sense=s) for n, s in enumerate((DLL_INTERFACES, DLL_SOFTWARE), start=1))
    return Answer(outcome="clarify", text="Which DLL?", question=question, options=options)


def by_words(question: str, picks: Sequence[SensePick]) -> Answer:
    """Answer as the tests' questions want it."""
    picked = {pick.extended_name for pick in picks}
    if "PRL" in question:
        return unknown(question)
    if "parking" in question:
        return closest_passages(question)
    if "restart" in question:
        return procedure(question)
    if "which" in question.lower() and not picked:
        return clarify(question)
    return answered(question, DLL_SOFTWARE if "Dynamic-Link Library" in picked else DLL_INTERFACES)


@dataclass
class ScriptedBot:
    """Streams steps, then the words of the answer that ``answer_for`` gives.

    ``kept`` are the answers by account and conversation, in the place of a server's records. ``holds`` are the steps
    behind whose start it waits for ``go_on``, once each; "draft" is the first word of one.
    """

    answer_for: Callable[[str, Sequence[SensePick]], Answer] = by_words
    pause_s: float = 0.0
    keeps: bool = True
    asked: list[tuple[str, str, tuple[SensePick, ...]]] = field(default_factory=list)
    askers: list[Asker] = field(default_factory=list)
    heard: list[tuple[Turn, ...]] = field(default_factory=list)
    cancelled: int = 0
    kept: dict[tuple[str, str], list[Answer]] = field(default_factory=dict)
    holds: list[str] = field(default_factory=list)
    go_on: SimpleQueue[None] = field(default_factory=SimpleQueue)

    def stream(
        self, question: str, *, asker: Asker, history: Sequence[Turn], picks: Sequence[SensePick], conversation_id: str
    ) -> AsyncIterator[AnswerEvent]:
        if len(question) > 8_000:
            raise InvalidInput("The question has too many characters. Shorten it.", field="question")
        self.asked.append((question, asker.department, tuple(picks)))
        self.askers.append(asker)
        self.heard.append(tuple(history))
        return self._answer(question, conversation_id, asker, picks)

    async def _answer(
        self, question: str, conversation_id: str, asker: Asker, picks: Sequence[SensePick]
    ) -> AsyncIterator[AnswerEvent]:
        try:
            async for event in self._events(question, picks):
                yield event
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise
        answer = self.answer_for(question, picks)
        if self.keeps:
            turn_id = answer.turn_id or f"turn-{len(self.asked)}"
            answer = answer.model_copy(update={"turn_id": turn_id, "conversation_id": conversation_id})
            self.kept.setdefault((asker.account, conversation_id), []).append(answer)
        yield AnswerReady(answer=answer)

    async def _events(self, question: str, picks: Sequence[SensePick]) -> AsyncIterator[AnswerEvent]:
        if "crash" in question:
            yield StepStarted(node="retrieve")
            raise ZeroDivisionError("secret detail")
        for node, finding in (("identify_jargon", "jargon: DLL"), ("retrieve", "12 passages, 5 relevant")):
            yield StepStarted(node=node)
            await self._hold(node)
            await asyncio.sleep(self.pause_s)
            provenance = Provenance(implementation="embedded")
            yield StepFinished(step=Step(node=node, finding=finding, milliseconds=3.4, provenance=provenance))
        answer = self.answer_for(question, picks)
        yield TermsRead(readings=answer.readings)
        if answer.outcome != "answered":
            return
        yield StepStarted(node="write_answer")
        for word in answer.text.split(" "):
            yield TextDelta(text=word + " ")
            await self._hold("draft")
            await asyncio.sleep(self.pause_s / 10)

    async def _hold(self, step: str) -> None:
        if step in self.holds:
            self.holds.remove(step)
            await asyncio.to_thread(self.go_on.get, timeout=60)
