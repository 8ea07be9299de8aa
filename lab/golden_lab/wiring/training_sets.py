"""Cases of the judgements from public sets: from the halves that may be learnt from, never from one that is scored."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from contracts.errors import InvalidInput
from contracts.text import Passage
from evaluation.results import SplitUse
from golden_lab.benchmarks.registry import load_benchmarks
from golden_lab.datasets.annotated import mtrag_questions
from golden_lab.datasets.cases import squad_cases
from golden_lab.datasets.files import read_jsonl
from golden_lab.splits import conversation_of, half, overlap
from golden_lab.training.judgements.base import CaseTurn, JudgementCase, case_passage
from golden_lab.training.judgements.passages import AnswerabilityCase, RelevanceCase, RerankingCase
from golden_lab.training.judgements.questions import RewritingCase
from golden_lab.wiring.training_cases import WICE_CHUNKS, WICE_PAGES, citation_cases, faithfulness_cases
from tools.embedding import Embedder

SQUAD = SplitUse(file="squad2/train_v1.1_paragraphs.jsonl.gz")
MTRAG = SplitUse(file="mtrag/tasks.jsonl.gz", part="fit")

# What the cases of each intrinsic are made of. All of it may be learnt from and passed on by its licence.
SETS: Mapping[str, tuple[SplitUse, ...]] = MappingProxyType(
    {
        "question_rewriting": (MTRAG,),
        "context_relevance": (SQUAD, MTRAG),
        "passage_reranking": (MTRAG,),
        "answerability": (SQUAD, MTRAG),
        # BEGIN calls what is not wholly supported by one name, and does not tell partial from unfaithful.
        "faithfulness": (WICE_CHUNKS,),
        "citation": (WICE_PAGES,),
    }
)
_ARTICLES, _QUESTIONS_EACH = 60, 16


async def cases_of_sets(intrinsic: str, data: Path, embedder: Embedder, *, seed: int) -> tuple[JudgementCase, ...]:
    """Return the cases of ``intrinsic`` from the public sets below ``data``; the same for the same ``seed``.

    Raises:
        InvalidInput: there is no set for it, a file is not there or not of its form, or a scored group got in.
    """
    if intrinsic not in SETS:
        raise InvalidInput(
            f"no public set that may be learnt from says what is right for {intrinsic}: there are sets for "
            f"{', '.join(sorted(SETS))}"
        )
    makers: Mapping[str, Callable[[], Awaitable[list[JudgementCase]]]] = {
        "question_rewriting": lambda: _at_once(_rewriting, data),
        "context_relevance": lambda: _relevance(data, embedder, seed),
        "passage_reranking": lambda: _at_once(_reranking, data),
        "answerability": lambda: _answerability(data, embedder, seed),
        "faithfulness": lambda: _at_once(faithfulness_cases, data),
        "citation": lambda: _at_once(citation_cases, data),
    }
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


def scored_whole(intrinsic: str) -> tuple[str, ...]:
    """Return the benchmarks of ``intrinsic`` that also score what its cases are made of, since they score all of a set.

    Their scores tell nothing of an adapter that learnt from these cases; those on the other half do.
    """

    return tuple(
        each.about.name
        for each in load_benchmarks()
        if each.about.intrinsic == intrinsic
        and any(overlap(scored, used) for scored in each.about.uses for used in SETS.get(intrinsic, ()))
    )


async def _at_once(make: Callable[[Path], Iterator[JudgementCase]], data: Path) -> list[JudgementCase]:

    return await asyncio.to_thread(lambda: list(make(data)))


def _fit_rows(data: Path) -> Iterator[dict[str, Any]]:

    for row in read_jsonl(data / MTRAG.file):
        if half("mtrag", conversation_of(row["task_id"])) == "fit":
            yield row


def _rewriting(data: Path) -> Iterator[JudgementCase]:

    for row in _fit_rows(data):
        turns = [(each["speaker"], each["text"].strip()) for each in row["input"]]
        rewritten = (row.get("rewrite_query") or "").strip().removeprefix("|user|:").strip()
        if len(turns) < 2 or not rewritten or not all(text for _, text in turns):
            continue
        history = tuple(
            CaseTurn(role="user" if speaker == "user" else "assistant", text=text) for speaker, text in turns[:-1]
        )
        yield RewritingCase(**_from_mtrag(row), history=history, question=turns[-1][1], rewritten=rewritten)


async def _answerability(data: Path, embedder: Embedder, seed: int) -> list[JudgementCase]:
    return [
        AnswerabilityCase(
            id=id_, group=group, source=source, question=question,
            passages=tuple(map(case_passage, passages)), answerable=answerable,
        )
        for id_, group, source, question, passages, answerable, _ in await _asked(data, embedder, seed)
    ]  # fmt: skip


async def _relevance(data: Path, embedder: Embedder, seed: int) -> list[JudgementCase]:
    """Make a case of each passage that people judged; of an article's question only of its own and a foreign one."""

    found: list[JudgementCase] = []
    for id_, group, source, question, passages, answerable, relevant in await _asked(data, embedder, seed):
        if source.startswith(SQUAD.file):
            if not answerable:
                continue
            own = relevant.index(True)
            # Another paragraph of the article may help a little; one of another article does not.
            foreign = [n for n, each in enumerate(passages) if each.document_title != passages[own].document_title]
            judged = [own, *foreign[:1]]
        else:
            judged = list(range(len(passages)))
        found += [
            RelevanceCase(
                id=f"{id_}/{n}", group=group, source=source, question=question, passage=case_passage(passages[n]),
                label="relevant" if relevant[n] else "irrelevant",
            )
            for n in judged
        ]  # fmt: skip
    return found


def _reranking(data: Path) -> Iterator[JudgementCase]:

    for number, (id_, group, source, question, passages, _, relevant) in enumerate(_mtrag_asked(data)):
        if True not in relevant or False not in relevant:
            continue
        right, wrong = (case_passage(passages[relevant.index(truth)]) for truth in (True, False))
        swapped = number % 2 == 1
        yield RerankingCase(
            id=id_, group=group, source=source, question=question,
            first=wrong if swapped else right, second=right if swapped else wrong,
            better="second" if swapped else "first",
        )  # fmt: skip


_Asked = tuple[str, str, str, str, tuple[Passage, ...], bool, tuple[bool, ...]]


async def _asked(data: Path, embedder: Embedder, seed: int) -> list[_Asked]:

    made = await squad_cases(data, embedder, articles=_ARTICLES, questions_each=_QUESTIONS_EACH, seed=seed)
    squad: list[_Asked] = [
        (
            f"squad2/{number}", f"squad2/{each.group}", f"{SQUAD.file} {each.kind}", each.question, each.passages,
            each.answerable, each.relevant,
        )
        for number, each in enumerate(made)
    ]  # fmt: skip
    return [*squad, *_mtrag_asked(data)]


def _mtrag_asked(data: Path) -> Iterator[_Asked]:

    for each in mtrag_questions(data, "fit"):
        case = each.case
        if any(passage.text.strip() for passage in case.passages):
            yield (
                f"mtrag/{each.id}", f"mtrag/{case.group}", f"{MTRAG.file} fit", case.question, case.passages,
                case.answerable, case.relevant,
            )  # fmt: skip


def _from_mtrag(row: Mapping[str, Any]) -> dict[str, str]:
    conversation = conversation_of(row["task_id"])
    return {"id": f"mtrag/{row['task_id']}", "group": f"mtrag/{conversation}", "source": f"{MTRAG.file} fit"}
