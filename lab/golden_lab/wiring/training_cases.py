"""Labelled cases of judgements: of passages with questions, and of halves of public sets that may be learnt from."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.datasets.annotated import AttributedClaim, mtrag_questions, wice_attributions
from golden_lab.datasets.cases import Paragraph, SmallSearch, squad_cases
from golden_lab.datasets.claims import wice_claims
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
from golden_retriever.wiring.judgements import build_answerability_judge
from tools.embedding import Embedder
from tools.language import content_stems
from tools.reading.ranking import QuoteRanker

# All of these may be learnt from and passed on by their licences; of SQuAD 1.1 train nothing is scored, of the others
# the half "fit" is learnt from. BEGIN is not here: it does not tell partial from unfaithful.
SQUAD = "squad2/train_v1.1_paragraphs.jsonl.gz"
MTRAG = "mtrag/tasks.jsonl.gz"
WICE_CHUNKS = "wice/oracle_chunks_claim_dev.jsonl.gz"
WICE_PAGES = "wice/entailment_retrieval_claim_dev.jsonl.gz"
_ARTICLES, _QUESTIONS_EACH = 60, 16
_PASSAGES_OF_A_PAGE = 4
_LONGEST_QUOTE = 180
_LABELS: dict[str, tuple[Literal["faithful", "partial", "unfaithful"], str]] = {
    "supported": ("faithful", "The passages say it: “{quote}”"),
    "partially_supported": ("partial", "The passages say only a part of it: “{quote}”"),
    "not_supported": ("unfaithful", "The passages do not say it."),
}


async def cases_of_passages(settings: Settings, intrinsic: str, file: Path) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` that a file of passages with questions makes; all is judged without a server.

    Raises:
        InvalidInput: the file is not there or wrong, or passages do not say what is right for it.
    """
    rows = await asyncio.to_thread(read_passage_questions, file)
    embedder = build_embedder(settings)
    ranker = QuoteRanker(build_cross_encoder(settings.cross_encoder))
    judge = build_answerability_judge(EngineChooser(settings, None), ranker)
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


async def cases_of_sets(intrinsic: str, data: Path, embedder: Embedder, *, seed: int) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` from the public sets below ``data``; the same for the same ``seed``.

    Raises:
        InvalidInput: there is no set for it, a file is not there or not of its form, or a scored group got in.
    """
    makers: Mapping[str, Callable[[], Awaitable[list[JudgementCase]]]] = {
        "question_rewriting": lambda: _in_thread(_rewriting, data),
        "context_relevance": lambda: _relevance(data, embedder, seed),
        "answerability": lambda: _answerability(data, embedder, seed),
        "faithfulness": lambda: _in_thread(_faithfulness, data),
        "citation": lambda: _in_thread(_citation, data),
    }
    if intrinsic not in makers:
        raise InvalidInput(f"no public set says what is right for {intrinsic}, but for {', '.join(sorted(makers))}")
    found = tuple(await makers[intrinsic]())
    refuse_scored(found)
    return found


def refuse_scored(cases: Sequence[JudgementCase]) -> None:
    """Do nothing where no case is of a group that a benchmark's half "score" holds.

    Raises:
        InvalidInput: one is; the text names it.
    """
    for case in cases:
        name, _, group = case.group.partition("/")
        # Of SQuAD 1.1 train nothing is scored; its articles are others than those of dev.
        if name != "squad2" and half(name, group) == "score":
            raise InvalidInput(f"the case {case.id} is of {case.group}, which is scored: it must not be learnt from")


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


async def _answerability(data: Path, embedder: Embedder, seed: int) -> list[JudgementCase]:
    squad = await squad_cases(data, embedder, articles=_ARTICLES, questions_each=_QUESTIONS_EACH, seed=seed)
    asked = [(_from("squad2", number, each.group, SQUAD), each) for number, each in enumerate(squad)]
    return [
        AnswerabilityCase(
            **common,
            question=each.question,
            passages=tuple(map(case_passage, each.passages)),
            answerable=each.answerable,
        )
        for common, each in (*asked, *_mtrag(data))
    ]


async def _relevance(data: Path, embedder: Embedder, seed: int) -> list[JudgementCase]:
    """Make a case of each passage that people judged; of an article's question only of its own and a foreign one."""
    squad = await squad_cases(data, embedder, articles=_ARTICLES, questions_each=_QUESTIONS_EACH, seed=seed)
    judged: list[tuple[dict[str, Any], str, Passage, bool]] = []
    for number, each in enumerate(squad):
        if each.answerable:
            own = each.passages[each.relevant.index(True)]
            # Another paragraph of the article may help a little; one of another article does not.
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


def _faithfulness(data: Path) -> Iterator[JudgementCase]:
    """Yield claims with people's label.

    People gave no reasons; each is made by a rule of the label and of the line that shares the most words with the
    claim, and says no more than that.
    """
    for number, claim in enumerate(wice_claims(data)):
        if half("wice", claim.group) == "fit" and claim.kind in _LABELS:
            yield FaithfulnessCase(
                **_from("wice", f"{claim.group}/{number}", claim.group, WICE_CHUNKS),
                answer=(one_line(claim.text),),
                passages=tuple(map(case_passage, claim.passages)),
                judged=(_judged(claim.kind, claim.text, claim.passages),),
            )


def _judged(kind: str, claim: str, passages: tuple[Passage, ...]) -> JudgedSentence:
    label, reason = _LABELS[kind]
    stems = set(content_stems(claim))
    lines = [one_line(line) for passage in passages for line in passage.text.splitlines() if line.strip()]
    nearest = max(lines, key=lambda line: len(stems & set(content_stems(line))), default="")
    quote = nearest if len(nearest) <= _LONGEST_QUOTE else nearest[:_LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    return JudgedSentence(label=label, reason=reason.format(quote=quote))


def _citation(data: Path) -> Iterator[JudgementCase]:
    """Yield claims with the smallest set of sentences that supports each.

    A page is cut to the passages with these sentences and the first others, four at most; a claim without support
    comes with the first passages, and cites nothing.
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


def _from(name: str, number: object, group: str, file: str) -> dict[str, Any]:
    return {"id": f"{name}/{number}", "group": f"{name}/{group}", "source": file}
