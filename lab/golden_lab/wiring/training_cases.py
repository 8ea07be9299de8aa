"""Labelled cases of judgements: from records and from passages."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from contracts.answer import Answer
from contracts.case_runs import ReviewCase
from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.records import Groups, KeptTurn
from contracts.text import Passage
from evaluation.results import SplitUse
from golden_lab.datasets.annotated import AttributedClaim, wice_attributions
from golden_lab.datasets.cases import Paragraph, SmallSearch
from golden_lab.datasets.claims import wice_claims
from golden_lab.splits import half
from golden_lab.training.data.questions import read_passage_questions
from golden_lab.training.judgements.answers import CaseCitation, CitationCase, FaithfulnessCase, JudgedSentence
from golden_lab.training.judgements.base import CasePassage, JudgementCase, case_passage, passages_of
from golden_lab.training.judgements.from_passages import SHOWN, refuse_without_passages
from golden_lab.training.judgements.from_passages import cases_of_passages as make
from golden_lab.training.judgements.from_records import answerability_case, cases_of_praised, refuse_underivable
from golden_retriever.settings import Settings
from golden_retriever.wiring.application import Application, open_application
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.indexes import build_embedder
from golden_retriever.wiring.judgements import build_answerability_judge
from library.records.cases import CaseStore
from library.records.reviewing import ReviewStore
from tools.language import content_stems

_EVERYONE = "everyone"
_TURNS_BEFORE = 6


async def cases_of_records(
    settings: Settings, intrinsic: str, *, groups: Groups, all_groups: bool
) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` that praised answers and reviewers' expectations make.

    ``groups`` are those whose documents may be learnt from; None: all, which must be asked for where some documents
    are not everybody's.

    Raises:
        InvalidInput: records do not say what is right for it, or some documents are not everybody's.
    """

    refuse_underivable(intrinsic)
    async with open_application(settings, one_shot=True) as application:
        await asyncio.to_thread(_refuse_restricted, application, groups, all_groups)
        praised = await asyncio.to_thread(_praised, application, groups)
        if intrinsic != "answerability":
            return tuple(case for turn, before in praised for case in cases_of_praised(intrinsic, turn, before))
        return await _gate_cases(application, [turn for turn, _ in praised], groups)


async def cases_of_passages(settings: Settings, intrinsic: str, file: Path) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` that a file of passages with questions makes; all is judged without a server.

    Raises:
        InvalidInput: the file is not there or wrong, or passages do not say what is right for it.
    """

    rows = await asyncio.to_thread(read_passage_questions, file)
    refuse_without_passages(intrinsic)
    embedder = build_embedder(settings)
    judge = build_answerability_judge(EngineChooser(settings, None), embedder)
    texts = {row.passage: row for row in rows}
    paragraphs = [Paragraph(title=row.source.document, text=text) for text, row in texts.items()]
    search_in = SmallSearch(paragraphs, await embedder.embed_documents([each.text for each in paragraphs]))
    place = {text: number for number, text in enumerate(texts)}

    async def search(question: str, number: int) -> list[CasePassage]:
        (vector,) = await embedder.embed_queries([question])
        own = frozenset({place[rows[number].passage]})
        found = await asyncio.to_thread(search_in.search, question, vector, SHOWN, banned=own)
        return [
            CasePassage(text=each.text, title=each.document_title, page=max(1, texts[each.text].source.page))
            for each in found
        ]

    async def gate(question: str, passages: Sequence[Passage]) -> float:
        return (await judge.judge(_plain(question), passages)).probability

    return await make(intrinsic, rows, search, gate)


def _plain(question: str) -> AugmentedQuestion:

    return AugmentedQuestion(question=question, text=question, provenance=Provenance(implementation="embedded"))


def _refuse_restricted(application: Application, groups: Groups, all_groups: bool) -> None:
    """Refuse to choose for the operator which restricted documents a model may be trained on: it tells everybody."""
    restricted = sorted({each.group for each in application.store.documents()} - {_EVERYONE})
    if restricted and groups is None and not all_groups:
        raise InvalidInput(
            f"some documents are for {', '.join(restricted)} only, and whoever asks a model that learnt from them may "
            "hear of them: name the groups to learn from with --group (such as --group everyone), or --all-groups",
            field="group",
        )


def _praised(application: Application, groups: Groups) -> list[tuple[KeptTurn, tuple[KeptTurn, ...]]]:

    engine = application.store.engine
    review = ReviewStore(engine)
    turns = review.praised(groups)
    return [(turn, review.before(groups, turn.id, limit=_TURNS_BEFORE)) for turn in turns]


async def _gate_cases(
    application: Application, praised: Sequence[KeptTurn], groups: Groups
) -> tuple[JudgementCase, ...]:
    """Return cases with the passages that search brings now, so that right and wrong ones look alike.

    A praised question is answerable where a passage that its answer cites is among them, a reviewer's where one of the
    page is that they named; where the reviewer expects that the bot declines, it is not.
    """

    made: list[Any] = []
    for turn in praised:
        found = await _found(application, turn.answer, groups)
        cited = {each.chunk_id for each in turn.answer.citations}
        if cited & {each.chunk.id for each in found}:
            group = turn.conversation_id or turn.id
            made.append(
                answerability_case(
                    case_id=turn.id, group=group, answer=turn.answer, found=found, answerable=True,
                    source="a praised answer",
                )
            )  # fmt: skip
    for case in await asyncio.to_thread(CaseStore(application.store.engine).cases, groups):
        # A question of a conversation does not stand alone, and its rewrite is not kept with the case.
        if case.case.get("expect") not in ("answered", "declined") or case.case.get("history"):
            continue
        answer = Answer(outcome=case.case["expect"], text="", question=str(case.case["question"]))
        found = await _found(application, answer, groups)
        right = _holds_place(case, found)
        if found and right is not None:
            made.append(
                answerability_case(
                    case_id=case.id, group=case.id, answer=answer, found=found, answerable=right,
                    source="a reviewer's case",
                )
            )  # fmt: skip
    return tuple(made)


def _holds_place(case: ReviewCase, found: Sequence[Passage]) -> bool | None:
    """Say whether the passages answer a reviewer's case; None: it cannot be told."""
    if case.case["expect"] == "declined":
        return False
    name, page = case.case.get("document"), case.case.get("page")
    there = any(
        each.document_name == name and page is not None and each.chunk.page <= page <= each.chunk.last_page
        for each in found
    )
    return True if name and there else None


async def _found(application: Application, answer: Any, groups: Groups) -> tuple[Passage, ...]:
    services = application.services
    question = answer.standalone_question or answer.question
    augmented = await services.question_augmenter.augment(question, answer.context, answer.readings)
    found = await services.searcher.search([augmented.text], services.policy.candidates, groups=groups)
    if not found:
        return ()
    return (await services.passage_reranker.rerank(augmented.text, found)).passages[: services.policy.top_k]


WICE_CHUNKS = SplitUse(file="wice/oracle_chunks_claim_dev.jsonl.gz", part="fit")
WICE_PAGES = SplitUse(file="wice/entailment_retrieval_claim_dev.jsonl.gz", part="fit")

_PASSAGES_OF_A_PAGE = 4
_LONGEST_QUOTE = 180
_Label = Literal["faithful", "partial", "unfaithful"]
_LABELS: dict[str, tuple[_Label, str]] = {
    "supported": ("faithful", "The passages say it: “{quote}”"),
    "partially_supported": ("partial", "The passages say only a part of it: “{quote}”"),
    "not_supported": ("unfaithful", "The passages do not say it."),
}


def faithfulness_cases(data: Path) -> Iterator[JudgementCase]:
    """Yield the claims of the half that may be learnt from, with people's label.

    People gave no reasons; each is made by a rule of the label and of the line that shares the most words with the
    claim, and says no more than that.
    """

    for number, claim in enumerate(wice_claims(data)):
        if half("wice", claim.group) == "fit" and claim.kind in _LABELS:
            yield FaithfulnessCase(
                id=f"wice/{claim.group}/{number}",
                group=f"wice/{claim.group}",
                source=f"{WICE_CHUNKS.file} fit",
                answer=(_one_line(claim.text),),
                passages=tuple(map(case_passage, claim.passages)),
                judged=(_judged(claim.kind, claim.text, claim.passages),),
            )


def citation_cases(data: Path) -> Iterator[JudgementCase]:
    """Yield the claims of the half that may be learnt from, with the smallest set of sentences that supports each.

    A page is cut to the passages with these sentences and the first others, four at most; a claim without support
    comes with the first passages, and cites nothing.
    """

    for claim in wice_attributions(data, "fit"):
        chosen = min(claim.annotations, key=lambda each: (len(each), sorted(each)), default=frozenset())
        kept = sorted({passage for passage, _ in chosen})
        if len(kept) > _PASSAGES_OF_A_PAGE or len(chosen) > 3:
            continue
        others = [n for n in range(len(claim.passages)) if n not in kept]
        kept = sorted([*kept, *others[: _PASSAGES_OF_A_PAGE - len(kept)]])
        shown, citations = _cited(claim, kept, chosen)
        yield CitationCase(
            id=f"wice/{claim.id}",
            group=f"wice/{claim.id}",
            source=f"{WICE_PAGES.file} fit",
            answer=(_one_line(claim.text),),
            passages=shown,
            citations=citations,
        )


def _cited(
    claim: AttributedClaim, kept: list[int], chosen: frozenset[tuple[int, int]]
) -> tuple[tuple[CasePassage, ...], tuple[CaseCitation, ...]]:
    """Return the passages ``kept``, and their sentences (as the bot splits them) that hold the chosen lines."""

    shown = tuple(case_passage(claim.passages[number]) for number in kept)
    found = []
    for place, (number, passage) in enumerate(zip(kept, passages_of(shown), strict=True)):
        lines = [claim.passages[number].sentences[line] for of, line in sorted(chosen) if of == number]
        held = tuple(
            index
            for index, span in enumerate(passage.sentences)
            if any(line.start < span.end and span.start < line.end for line in lines)
        )
        if held:
            found.append(CaseCitation(sentence=0, passage=place, passage_sentences=held))
    return shown, tuple(found)


def _judged(kind: str, claim: str, passages: tuple[Passage, ...]) -> JudgedSentence:

    label, reason = _LABELS[kind]
    stems = set(content_stems(claim))
    lines = [_one_line(line) for passage in passages for line in passage.text.splitlines() if line.strip()]
    nearest = max(lines, key=lambda line: len(stems & set(content_stems(line))), default="")
    quote = nearest if len(nearest) <= _LONGEST_QUOTE else nearest[:_LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    return JudgedSentence(label=label, reason=reason.format(quote=quote))


def _one_line(text: str) -> str:
    return " ".join(text.split())
