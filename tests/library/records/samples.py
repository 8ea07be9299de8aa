"""Turns as they are recorded."""

from datetime import UTC, datetime, timedelta

from contracts.answer import Answer, CheckedSentence, Citation, Step
from contracts.case_runs import RunMeasure
from contracts.jargon import Mention, Reading, Sense
from contracts.question import Asker
from contracts.records import TurnRecord
from contracts.text import PageBox, Span

NOON = datetime(2026, 3, 4, 12, 0, 0, 123456, tzinfo=UTC)
EVERYONE, BOTH = frozenset({"everyone"}), frozenset({"everyone", "lab"})
ADA = Asker(account="key:ada", name="Ada", channel="chat", groups=BOTH)
BOB = Asker(account="key:bob", name="Bob", channel="api", groups=EVERYONE)
MEASURE = RunMeasure(engine="embedded", version="1", revision="abc", settings="s", documents="3", dictionary="7")


def citation_of(document_id: str, *, page: int = 3) -> Citation:
    return Citation(
        number=1,
        document_id=document_id,
        document_name=f"{document_id}.pdf",
        document_title="Handbook",
        page=page,
        chunk_id=f"{document_id}-1",
        quote="The level is 1.5 V.",
        passage_text="First. The level is 1.5 V.",
        quote_spans=(Span(start=7, end=26),),
        boxes=(PageBox(page=page, x0=1.5, top=2.0, x1=3.0, bottom=4.0),),
        heading_path=("Power", "Levels"),
    )


def answer_of(question: str = "What is the level?", **fields: object) -> Answer:
    sense = Sense(id=1, term="VCC", extended_name="Supply Voltage", context="Power", aliases=("Vcc",))
    mention = Mention(text="VCC", span=Span(start=0, end=3), term="VCC", known=True)
    values: dict[str, object] = {
        "outcome": "answered",
        "text": "The level is 1.5 V. [1]",
        "question": question,
        "readings": (Reading(mention=mention, status="chosen", sense=sense, alternatives=(sense,)),),
        "sentences": (CheckedSentence(text="The level is 1.5 V.", citations=(1,), label="faithful", probability=0.9),),
        "certainty": 0.8,
        "steps": (Step(node="retrieve", finding="12 passages", milliseconds=40.0),),
    }
    return Answer(**{**values, **fields})  # type: ignore[arg-type]


def turn_of(
    turn_id: str,
    *,
    asker: Asker = ADA,
    conversation_id: str = "one",
    minutes: float = 0.0,
    seconds: float = 1.5,
    answer: Answer | None = None,
) -> TurnRecord:
    return TurnRecord(
        id=turn_id,
        conversation_id=conversation_id,
        asker=asker,
        asked_at=NOON + timedelta(minutes=minutes),
        seconds=seconds,
        answer=answer or answer_of(),
    )
