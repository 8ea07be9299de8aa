"""Steps that write the answer and check it."""

from collections.abc import Callable, Sequence

from agent.answer_assembly import sentences_of
from agent.draft_choice import CheckedDraft
from agent.services import Services
from contracts.answer import AnswerEvent, TextDelta, TextReset
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import CitationVerdict, Draft, FaithfulnessVerdict
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.combined.base import AnswerChecker
from tools.citation_marks import remove_marks

Emit = Callable[[AnswerEvent], None]


async def write_answer(brief: WritingBrief, services: Services, emit: Emit) -> Draft:
    """Stream the written text through ``emit``; return the complete draft, without citation markers.

    If the draft differs from the streamed text (because a different writer took over, or the text began with the
    model's reasoning), the draft replaces the streamed text.
    """
    streamed: list[str] = []
    async for piece in services.answer_writer.write(brief):
        if isinstance(piece, str):
            streamed.append(piece)
            emit(TextDelta(text=piece))
            continue
        text = remove_marks(piece.text).strip()
        if "".join(streamed).strip() != piece.text.strip():
            emit(TextReset(reason="the text starts again"))
            emit(TextDelta(text=text))
        # If removing the markers changed the text, the positions of the claims are no longer correct.
        return piece.model_copy(update={"text": text, "claims": piece.claims if text == piece.text else ()})
    raise RuntimeError(f"{type(services.answer_writer).__name__} ended its stream without a Draft")


async def find_citations(
    draft: Draft, question: str, passages: Sequence[Passage], services: Services
) -> CitationVerdict:
    """Link each sentence of the draft to the passage sentences that it is based on."""
    sentences = [sentence.text for sentence in sentences_of(draft.text)]
    return await services.citation_finder.find(sentences, passages, question=question)


async def judge_faithfulness(
    draft: Draft, question: str, passages: Sequence[Passage], services: Services
) -> FaithfulnessVerdict:
    """Check each sentence of the draft against the passages."""
    sentences = [sentence.text for sentence in sentences_of(draft.text)]
    return await services.faithfulness_judge.judge(question, sentences, passages)


async def check_answer(
    drafts: Sequence[Draft], question: str, passages: Sequence[Passage], checker: AnswerChecker, services: Services
) -> tuple[tuple[CheckedDraft, ...], Provenance]:
    """Cite and judge each sentence of ``drafts`` in one call; ``checker`` may omit some of the judgements."""
    texts = [[sentence.text for sentence in sentences_of(draft.text)] for draft in drafts]
    found = await checker.check(question, [text for of_draft in texts for text in of_draft], passages)
    checked, begin = [], 0
    for draft, of_draft in zip(drafts, texts, strict=True):
        shown, end = passages[: draft.passages_read], begin + len(of_draft)
        if found.citations is None:
            citations = await find_citations(draft, question, shown, services)
        else:
            own = (link for link in found.citations.links if begin <= link.sentence < end)
            links = tuple(link.model_copy(update={"sentence": link.sentence - begin}) for link in own)
            citations = found.citations.model_copy(update={"links": links})
        if found.faithfulness is None:
            faithfulness = await judge_faithfulness(draft, question, shown, services)
        else:
            faithfulness = found.faithfulness.model_copy(update={"sentences": found.faithfulness.sentences[begin:end]})
        checked.append(CheckedDraft(draft=draft, citations=citations, faithfulness=faithfulness))
        begin = end
    return tuple(checked), found.provenance
