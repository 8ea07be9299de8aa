"""Cases made of what is kept of one's own questions: answers that were praised, and what reviewers expect."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from agent.questions import remove_markers
from contracts.answer import DICTIONARY_DOCUMENT, Answer, Citation
from contracts.errors import InvalidInput
from contracts.records import KeptTurn
from contracts.text import Passage
from golden_lab.training.judgements.answers import CaseCitation, CitationCase, WritingCase, WrittenSentence
from golden_lab.training.judgements.base import (
    CasePassage,
    CaseTurn,
    JudgementCase,
    case_passage,
    definitions_of,
    passages_of,
)
from golden_lab.training.judgements.passages import AnswerabilityCase
from golden_lab.training.judgements.questions import RewritingCase

NOT_OF_RECORDS: Mapping[str, str] = MappingProxyType(
    {
        "query_expansion": "which wording found an answer is not kept",
        "jargon_identification": "nobody said which words of a question are jargon",
        "context_classification": "nobody gave a reason, which the adapter has to write first",
        "context_relevance": "of passages that were not cited nobody said that they do not help",
        "passage_reranking": "of passages that were not cited nobody said that they do not help",
        "faithfulness": "a thumb is on the whole answer, and says of no sentence that the passages lack it",
        "certainty": "it is a share of many answers to like questions, and a thumb is on one",
        "summarisation": "nobody judges summaries",
        "question_writing": "nobody judges written questions",
        "term_mining": "what a manager publishes is their own wording, not a page's",
    }
)


def refuse_underivable(intrinsic: str) -> None:
    """Do nothing where records say what is right for ``intrinsic``.

    Raises:
        InvalidInput: they do not; the text says why.
    """
    if intrinsic in NOT_OF_RECORDS:
        raise InvalidInput(f"no cases of {intrinsic} can be made of records: {NOT_OF_RECORDS[intrinsic]}")


def cases_of_praised(intrinsic: str, turn: KeptTurn, before: Sequence[KeptTurn] = ()) -> tuple[JudgementCase, ...]:
    """Return the cases of question_rewriting, citation or answer_generation that a praised turn makes, or none.

    ``before`` are the earlier turns of its conversation. What was done is taken for right since the asker praised the
    answer that came of it; a case that the judgement would not read so is refused later.
    """
    answer = turn.answer
    common = {"id": turn.id, "group": turn.conversation_id or turn.id, "source": "a praised answer"}
    if intrinsic == "question_rewriting":
        history = tuple(_turns(before))
        if not history or not answer.standalone_question:
            return ()
        rewritten = answer.standalone_question
        return (RewritingCase(history=history, question=answer.question, rewritten=rewritten, **common),)
    shown = _cited_passages(answer)
    if not answer.sentences or not shown or any(each.document_id == DICTIONARY_DOCUMENT for each in answer.citations):
        return ()
    question = answer.standalone_question or answer.question
    if intrinsic == "citation":
        return (
            CitationCase(
                question=question,
                answer=tuple(each.text for each in answer.sentences),
                passages=tuple(shown.values()),
                citations=tuple(_links(answer, shown)),
                **common,
            ),
        )
    places = list(shown)
    chunk_of = {each.number: each.chunk_id for each in answer.citations}
    sentences = tuple(
        WrittenSentence(
            text=each.text, passages=tuple(dict.fromkeys(places.index(chunk_of[n]) for n in each.citations))
        )
        for each in answer.sentences
    )
    return (
        WritingCase(
            question=question,
            context=answer.context,
            definitions=definitions_of(answer.readings, question),
            passages=tuple(shown.values()),
            sentences=sentences,
            **common,
        ),
    )


def answerability_case(
    *, case_id: str, group: str, answer: Answer, found: Sequence[Passage], answerable: bool, source: str
) -> AnswerabilityCase:
    """Return the gate's case of a question with the passages that search brings for it now."""
    question = answer.standalone_question or answer.question
    return AnswerabilityCase(
        id=case_id,
        group=group,
        source=source,
        question=question,
        context=answer.context,
        definitions=definitions_of(answer.readings, question),
        passages=tuple(map(case_passage, found)),
        answerable=answerable,
    )


def _turns(before: Sequence[KeptTurn]) -> Iterable[CaseTurn]:
    for each in before:
        yield CaseTurn(role="user", text=each.answer.question)
        if each.answer.text:
            yield CaseTurn(role="assistant", text=remove_markers(each.answer.text))


def _cited_passages(answer: Answer) -> dict[str, CasePassage]:
    return {
        each.chunk_id: CasePassage(
            text=each.passage_text,
            title=each.document_title,
            name=each.document_name,
            headings=each.heading_path,
            page=max(1, each.page),
        )
        for each in answer.citations
    }


def _links(answer: Answer, shown: Mapping[str, CasePassage]) -> Iterable[CaseCitation]:
    passages = dict(zip(shown, passages_of(tuple(shown.values())), strict=True))
    places = list(shown)
    by_number = {each.number: each for each in answer.citations}
    for number, sentence in enumerate(answer.sentences):
        for cited in (by_number[each] for each in sentence.citations):
            held = _quoted(cited, passages[cited.chunk_id])
            if held:
                yield CaseCitation(sentence=number, passage=places.index(cited.chunk_id), passage_sentences=held)


def _quoted(cited: Citation, passage: Passage) -> tuple[int, ...]:
    return tuple(
        index
        for index, span in enumerate(passage.sentences)
        if any(quote.start < span.end and span.start < quote.end for quote in cited.quote_spans)
    )
