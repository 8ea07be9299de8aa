"""Passages, briefs and evidence that the tests of judgements share."""

from collections.abc import Sequence

from contracts.jargon import Mention, Reading, ReadingStatus, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Choice
from contracts.text import BlockKind, Chunk, Passage, Span
from contracts.verdicts import Draft, FaithfulnessLabel, FaithfulnessVerdict, SentenceFaithfulness
from intrinsics.answer_generation.base import AnswerWriter, WritingBrief
from intrinsics.certainty.base import AnswerEvidence
from tools.language import split_sentences

MADE = Provenance(implementation="test")


def make_passage(
    text: str,
    *,
    heading: tuple[str, ...] = (),
    inside: tuple[str, ...] = (),
    code: tuple[str, ...] = (),
    kind: BlockKind = "paragraph",
    number: int = 0,
    title: str = "Handbook",
    score: float = 1.0,
) -> Passage:
    """Make a passage of a handbook; ``inside`` are the lines of ``text`` that are headings, ``code`` marked parts."""
    chunk = Chunk(
        id=f"chunk{number}",
        document_id="document",
        kind="passage",
        ordinal=number,
        text=text,
        page=1,
        last_page=1,
        heading_path=heading,
        headings=tuple(Span(text.index(each), text.index(each) + len(each)) for each in inside),
        code=tuple(Span(text.index(each), text.index(each) + len(each)) for each in code),
        block_kind=kind,
        document_title=title,
    )
    return Passage(
        chunk=chunk, document_name="handbook.pdf", document_title=title, score=score, sentences=split_sentences(text)
    )


def make_reading(
    question: str, text: str, sense: Sense | None, *, status: ReadingStatus = "chosen", term: str = ""
) -> Reading:
    """Read ``text`` in ``question`` as ``sense``; ``term`` is the right spelling where it is misspelt."""
    start = question.index(text)
    mention = Mention(
        text=text, span=Span(start, start + len(text)), term=term or text, corrected=bool(term), known=sense is not None
    )
    return Reading(mention=mention, status=status, sense=sense)


def ask(question: str, *readings: Reading) -> AugmentedQuestion:
    return AugmentedQuestion(question=question, text=question, readings=readings, provenance=MADE)


def make_brief(
    question: str, passages: Sequence[Passage], *, choices: tuple[Choice, ...] = (), critique: str = "", draft: str = ""
) -> WritingBrief:
    return WritingBrief(
        question=ask(question), passages=tuple(passages), choices=choices, critique=critique, draft=draft
    )


async def write(writer: AnswerWriter, brief: WritingBrief) -> tuple[list[str], Draft]:
    """Read a writer's stream to its end: the pieces, and the draft that must come last and once."""
    pieces: list[str] = []
    drafts: list[Draft] = []
    async for piece in writer.write(brief):
        if isinstance(piece, Draft):
            drafts.append(piece)
        else:
            assert not drafts, "text after the draft"
            pieces.append(piece)
    assert len(drafts) == 1
    return pieces, drafts[0]


PUMP = make_passage(
    "The P-200 pump runs at 48 V from the mains. Its bearing is greased every 500 hours. The P-300 pump runs at 96 V.",
    heading=("Pumps", "Data"),
)
LIMITS = make_passage(
    "Model | Voltage | Max flow (l/min)\nP-200 | 48 V | 12\nP-300 | 96 V | 30",
    heading=("Pumps", "Limits"),
    kind="table",
    number=1,
)
START = make_passage(
    "To start the pump:\n1. Open the inlet valve.\n2. Switch the mains on.\n3. Press the green button.",
    heading=("Pumps", "Starting"),
    kind="list",
    number=2,
)
PASSAGES = (PUMP, LIMITS, START)
# Prose, a table, prose with numbers, a rule, a list of facts.
HANDBOOK = tuple(
    make_passage(text, number=number, heading=(heading,), score=1.0 - number / 10)
    for number, (heading, text) in enumerate((
        ("Interfaces", "The supply voltage of DDR3 is 1.5 V. DDR4 lowered it to 1.2 V.\n"
         "The bus is faster than that of DDR2."),
        ("Timing", "Parameter | Typical | Maximum\ntR (read page) | 20 µs | 50 µs\n"
         "tPROG (program page) | 200 µs | 700 µs\ntBERS (erase block) | 2 ms | 10 ms"),
        ("Packaging", "Wafers are cut into dies by a diamond saw. They are then stacked up to sixteen high and "
         "packaged. Packages are tested at 85 °C for 48 hours."),
        ("Commands", "The host must not write to a block before it has been erased. Write protection is controlled by "
         "the pin WP#."),
        ("Bad blocks", "Bad blocks are marked by the factory in the first byte of the spare area. The controller keeps "
         "a bad block table."),
    ))
)  # fmt: skip
# Questions that must not make a judgement fail, whatever its verdict.
ODD_QUESTIONS = ("At which voltage does the BLP4 run?", "", "?", "\x00\ud800", "DROP TABLE", "船", "x" * 5_000)

QUESTION = "At which voltage does the P-200 run?"


def make_evidence(
    answer: str,
    *sentences: tuple[FaithfulnessLabel, float],
    passages: Sequence[Passage] = PASSAGES,
    answerability: float = 0.97,
) -> AnswerEvidence:
    """Make the evidence of ``answer``, whose sentences have these labels and probabilities."""
    return AnswerEvidence(
        question=QUESTION,
        answer=answer,
        passages=tuple(passages),
        answerability=answerability,
        faithfulness=FaithfulnessVerdict(
            sentences=tuple(SentenceFaithfulness(label=label, probability=p) for label, p in sentences),
            provenance=MADE,
        ),
    )
