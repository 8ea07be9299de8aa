"""Labelled cases for judgements, from passages with questions and the training halves of public data sets."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.datasets.annotated import AttributedClaim, mtrag_questions, squad2_questions, wice_attributions
from golden_lab.datasets.cases import Paragraph, SmallSearch, squad_cases
from golden_lab.datasets.claims import Claim, squad_claims, wice_claims
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import conversation_of, half
from golden_lab.systems.simple import as_asked
from golden_lab.training.data.questions import read_passage_questions
from golden_lab.training.judgements.cases import (
    AnswerabilityCase,
    CaseCitation,
    CasePassage,
    CaseTurn,
    CitationCase,
    FaithfulnessCase,
    JudgedSentence,
    JudgementCase,
    RelevanceCase,
    RewritingCase,
    case_passage,
    passages_of,
)
from golden_lab.training.judgements.forms import one_line
from golden_lab.training.judgements.from_passages import SHOWN
from golden_lab.training.judgements.from_passages import cases_of_passages as make
from golden_retriever.settings import Settings
from golden_retriever.wiring.engines import EngineChooser, build_cross_encoder
from golden_retriever.wiring.indexes import build_embedder
from golden_retriever.wiring.judgements import build_judge
from intrinsics.answerability.base import AnswerabilityJudge
from tools.embedding.base import Embedder
from tools.language import content_stems, split_sentences
from tools.reading.ranking import QuoteRanker

# The licences of all of these allow training and redistribution. SQuAD 1.1 train is never scored; of the other sets,
# the "fit" half is used for training. BEGIN is not used, because it does not distinguish partial from unfaithful.
SQUAD = "squad2/train_v1.1_paragraphs.jsonl.gz"
SQUAD2 = "squad2/dev_v2.0_half.jsonl.gz"
MTRAG = "mtrag/tasks.jsonl.gz"
WICE_CHUNKS = "wice/oracle_chunks_claim_dev.jsonl.gz"
WICE_PAGES = "wice/entailment_retrieval_claim_dev.jsonl.gz"
# Questions per article of SQuAD 1.1, paragraphs per article, and questions of SQuAD 2.0 per paragraph.
_QUESTIONS_EACH, _PARAGRAPHS_EACH, _WRITTEN_EACH = 16, 1, 4
_PASSAGES_OF_A_PAGE = 4
_LONGEST_QUOTE = 180
_LABELS: dict[str, Literal["faithful", "partial", "unfaithful"]] = {
    "supported": "faithful",
    "partially_supported": "partial",
    "not_supported": "unfaithful",
}


async def cases_of_passages(settings: Settings, intrinsic: str, file: Path) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` from a file of passages with questions; no server is needed.

    Raises:
        InvalidInput: the file does not exist or is malformed, or such files cannot provide cases of the intrinsic.
    """
    rows = await asyncio.to_thread(read_passage_questions, file)
    embedder = build_embedder(settings)
    ranker = QuoteRanker(build_cross_encoder(settings.cross_encoder))
    judge: AnswerabilityJudge = build_judge("answerability", EngineChooser(settings, None), ranker=ranker)
    texts = {row.passage: row for row in rows}
    paragraphs = [Paragraph(title=row.source.document, text=text) for text, row in texts.items()]
    search_in = SmallSearch(paragraphs, await embedder.embed_documents([each.text for each in paragraphs]))
    place = {text: number for number, text in enumerate(texts)}

    async def search(question: str, number: int) -> list[CasePassage]:
        (vector,) = await embedder.embed_queries([question])
        own = frozenset({place[rows[number].passage]})
        found = await asyncio.to_thread(search_in.search, question, vector, SHOWN, banned=own)
        return [
            CasePassage(text=each.text, title=each.document_title, page=texts[each.text].source.page) for each in found
        ]

    async def gate(question: str, passages: Sequence[Passage]) -> float:
        return (await judge.judge(as_asked(question), passages)).probability

    return await make(intrinsic, rows, search, gate)


async def cases_of_sets(
    intrinsic: str, data: Path, embedder: Embedder, *, seed: int, articles: int = 60
) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` from the public sets in ``data``; equal seeds give equal cases.

    ``articles`` is the number of articles to draw from the 442 of SQuAD 1.1 train.

    Raises:
        InvalidInput: no set has such cases, a file is missing or malformed, or a case is from a scored group.
    """
    makers: Mapping[str, Callable[[], Awaitable[list[JudgementCase]]]] = {
        "question_rewriting": lambda: _in_thread(_rewriting, data),
        "context_relevance": lambda: _relevance(data, embedder, seed, articles),
        "answerability": lambda: _answerability(data, embedder, seed, articles),
        "faithfulness": lambda: _in_thread(partial(_faithfulness, seed=seed, articles=articles), data),
        "citation": lambda: _in_thread(_citation, data),
    }
    if intrinsic not in makers:
        raise InvalidInput(f"no public set has cases of {intrinsic}, only of {', '.join(sorted(makers))}")
    found = tuple(await makers[intrinsic]())
    refuse_scored(found)
    return found


def refuse_scored(cases: Sequence[JudgementCase]) -> None:
    """Check that no case is from a group in the "score" half of a benchmark.

    Raises:
        InvalidInput: a case is from such a group; the message names the case.
    """
    for case in cases:
        name, _, group = case.group.partition("/")
        # SQuAD 1.1 train is not scored; its articles differ from those of dev.
        if case.source != SQUAD and half(name, group) == "score":
            raise InvalidInput(f"the case {case.id} is from {case.group}, which is scored and must not be trained on")


async def _in_thread(make: Callable[[Path], Iterator[JudgementCase]], data: Path) -> list[JudgementCase]:
    return await asyncio.to_thread(lambda: list(make(data)))


def _rewriting(data: Path) -> Iterator[JudgementCase]:
    for row in read_jsonl(data / MTRAG):
        conversation = conversation_of(row["task_id"])
        turns = [(each["speaker"], each["text"].strip()) for each in row["input"]]
        rewritten = (row.get("rewrite_query") or "").strip().removeprefix("|user|:").strip()
        if (
            half("mtrag", conversation) != "fit"
            or len(turns) < 2
            or not rewritten
            or not all(text for _, text in turns)
        ):
            continue
        yield RewritingCase(
            **_from("mtrag", row["task_id"], conversation, MTRAG),
            history=tuple(
                CaseTurn(role="user" if speaker == "user" else "assistant", text=text) for speaker, text in turns[:-1]
            ),
            question=turns[-1][1],
            rewritten=rewritten,
        )


async def _answerability(data: Path, embedder: Embedder, seed: int, articles: int) -> list[JudgementCase]:
    squad = await squad_cases(data, embedder, articles=articles, questions_each=_QUESTIONS_EACH, seed=seed)
    asked = [(_from("squad2", number, each.group, SQUAD), each) for number, each in enumerate(squad)]
    own = squad2_questions(data, "fit")
    drawn = random.Random(seed).sample(own, min(articles * _WRITTEN_EACH, len(own)))
    written = [(_from("squad2", each.id, each.group, SQUAD2), each) for each in drawn]
    return [
        AnswerabilityCase(
            **common,
            question=each.question,
            passages=tuple(map(case_passage, each.passages)),
            answerable=each.answerable,
        )
        for common, each in (*asked, *written, *_mtrag(data))
    ]


async def _relevance(data: Path, embedder: Embedder, seed: int, articles: int) -> list[JudgementCase]:
    """Make a case from each judged passage; a question about an article gets its own passage and an unrelated one."""
    squad = await squad_cases(data, embedder, articles=articles, questions_each=_QUESTIONS_EACH, seed=seed)
    judged: list[tuple[dict[str, Any], str, Passage, bool]] = []
    for number, each in enumerate(squad):
        if each.answerable:
            own = each.passages[each.relevant.index(True)]
            # Other paragraphs of the same article may help a little; those of a different article do not.
            foreign = [other for other in each.passages if other.document_title != own.document_title]
            shown = [(own, True), *((other, False) for other in foreign[:1])]
            common = _from("squad2", number, each.group, SQUAD)
            judged += [(common, each.question, passage, relevant) for passage, relevant in shown]
    for common, each in _mtrag(data):
        pairs = zip(each.passages, each.relevant, strict=True)
        judged += [(common, each.question, passage, relevant) for passage, relevant in pairs]
    return [
        RelevanceCase(
            **{**common, "id": f"{common['id']}/{n}"},
            question=question,
            passage=case_passage(passage),
            label="relevant" if relevant else "irrelevant",
        )
        for n, (common, question, passage, relevant) in enumerate(judged)
    ]


def _mtrag(data: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    for each in mtrag_questions(data, "fit"):
        if any(passage.text.strip() for passage in each.passages):
            yield _from("mtrag", each.id, each.group, MTRAG), each


def _faithfulness(data: Path, *, seed: int, articles: int) -> Iterator[JudgementCase]:
    """Yield claims with human labels, and sentences of articles, unchanged or falsified by rules.

    The sets give no reasons, so each reason quotes the sentence that shares the most words with the claim, whatever the
    label. If it revealed the label, the label's probability, which is used as the verdict's, would be meaningless.
    """
    for number, claim in enumerate(wice_claims(data)):
        if half("wice", claim.group) == "fit" and claim.kind in _LABELS:
            yield _claim_case("wice", f"{claim.group}/{number}", claim, _LABELS[claim.kind], WICE_CHUNKS)
    made = squad_claims(data, articles=articles, paragraphs_each=_PARAGRAPHS_EACH, seed=seed)
    for number, claim in enumerate(made):
        yield _claim_case("squad2", number, claim, "faithful" if claim.supported else "unfaithful", SQUAD)


def _claim_case(
    name: str, number: object, claim: Claim, label: Literal["faithful", "partial", "unfaithful"], file: str
) -> FaithfulnessCase:
    stems = set(content_stems(claim.text))
    lines = [line for passage in claim.passages for line in passage.text.splitlines()]
    sentences = [one_line(line[span.start : span.end]) for line in lines for span in split_sentences(line)]
    nearest = max(sentences, key=lambda each: len(stems & set(content_stems(each))), default="")
    quote = nearest if len(nearest) <= _LONGEST_QUOTE else nearest[:_LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    return FaithfulnessCase(
        **_from(name, number, claim.group, file),
        answer=(one_line(claim.text),),
        passages=tuple(map(case_passage, claim.passages)),
        judged=(JudgedSentence(label=label, reason=f"The passages say: “{quote}”"),),
    )


def _citation(data: Path) -> Iterator[JudgementCase]:
    """Yield claims with the smallest set of sentences that supports each.

    A page is reduced to the passages with these sentences and the first of the others, at most four in all. A claim
    without support gets the first passages and no citations.
    """
    for claim in wice_attributions(data, "fit"):
        chosen = min(claim.annotations, key=lambda each: (len(each), sorted(each)), default=frozenset())
        kept = sorted({passage for passage, _ in chosen})
        if len(kept) > _PASSAGES_OF_A_PAGE or len(chosen) > 3:
            continue
        others = [n for n in range(len(claim.passages)) if n not in kept]
        shown, citations = _cited(claim, sorted([*kept, *others[: _PASSAGES_OF_A_PAGE - len(kept)]]), chosen)
        yield CitationCase(
            **_from("wice", claim.id, claim.id, WICE_PAGES),
            answer=(one_line(claim.text),),
            passages=shown,
            citations=citations,
        )


def _cited(
    claim: AttributedClaim, kept: list[int], chosen: frozenset[tuple[int, int]]
) -> tuple[tuple[CasePassage, ...], tuple[CaseCitation, ...]]:
    """Return the passages ``kept``, and their sentences (split as in the bot) that contain the chosen lines."""
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


def _from(name: str, number: object, group: str, file: str) -> dict[str, Any]:
    return {"id": f"{name}/{number}", "group": f"{name}/{group}", "source": file}
