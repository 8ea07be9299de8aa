"""The conditions of a study of refinement, who writes under them, and the signals of a draft."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.refining import choose_draft
from agent.services import Services
from contracts.errors import InvalidInput
from contracts.verdicts import Draft
from evaluation.results import Outcome
from golden_lab.metrics.answers import answer_similarity, log_probability_gain, passage_overlap
from golden_lab.refinement.attribution import FlagPassages
from golden_lab.refinement.cases import StudyCase
from golden_lab.refinement.measuring import OVERLAP, check_draft, cited_pairs, flag_passages, numbers_of, text_of
from golden_lab.refinement.text_scorer import TextScorer
from golden_lab.refinement.writing import (
    SeededChatModel,
    closed_book,
    criticise,
    fixed_critique,
    marked_text,
    write_draft,
    write_from_memory,
)
from intrinsics.refinement.difficulty import gauge_difficulty
from tools.chat.base import ChatMessage, ChatModel, ChatRequest, ReplyToken
from tools.chat.scripted import ScriptedChatModel

_MARKED = re.compile(r"^\[(\d+)\.\d+\] (.+)$", re.MULTILINE)
_DRAFT = re.compile(r"^<<draft \w+>>\n(.*?)\n<<end", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^Question: (.+)$", re.MULTILINE)
_CRITIQUED = re.compile(r"^Critique of the draft: (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w{3,}")
_FROM_MEMORY = (
    "Experts elsewhere commonly recommend otherwise, because practice differs between industries, regions and decades.",
    "Historically this varied between manufacturers, whose engineers long disputed whether such advice was sensible.",
)
_CRITIQUE = "Be more thorough: elaborate on the background and mention further aspects."


def simulated_chat() -> ScriptedChatModel:
    """Return the writer as a chat model."""
    return ScriptedChatModel(_reply, model="simulated")


def _reply(request: ChatRequest) -> str:
    prompt = request.messages[-1].content
    found = _QUESTION.search(prompt)
    question = found.group(1) if found else ""
    draw = random.Random(f"{request.seed} {question} {_CRITIQUED.findall(prompt)}")
    if "# Task: a critique" in prompt:
        return _CRITIQUE
    marked = _MARKED.findall(prompt)
    if not marked:
        return f"{draw.choice(_FROM_MEMORY)} It depends on the case."
    asked = set(_WORD.findall(question.casefold()))
    ranked = sorted(marked, key=lambda each: -len(asked & set(_WORD.findall(each[1].casefold()))) - draw.random())
    chosen = [(text, number if draw.random() < 0.7 else draw.choice(marked)[0]) for number, text in ranked]
    sentences = [f"{text.strip().rstrip('.')} [{number}]." for text, number in chosen[: draw.choice((1, 2))]]
    return " ".join([*sentences, *_asides(prompt, draw)])


def _asides(prompt: str, draw: random.Random) -> list[str]:
    """Return what is added though no passage says it."""
    rewriting = _DRAFT.search(prompt) is not None
    if rewriting and _CRITIQUE in prompt:
        return list(_FROM_MEMORY)
    unlikely = rewriting and "from memory" in prompt
    return [draw.choice(_FROM_MEMORY)] if draw.random() < (0.1 if unlikely else 0.6) else []


__all__ = ["answer_similarity", "log_probability_gain", "measure_gain", "measure_similarity", "passage_overlap"]


async def measure_similarity(chat: ChatModel, answer: str, without_passages: ChatRequest) -> float:
    """Return S1 of ``answer``, in [0, 1]: ask for an answer without passages, and compare the two.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    reply = await chat.complete(without_passages)
    return answer_similarity(answer, reply.text)


async def measure_gain(
    scorer: TextScorer, answer: str, *, given: Sequence[ChatMessage], without: Sequence[ChatMessage]
) -> float:
    """Return S2 of ``answer``, in nats a token: how much more probable the passages in ``given`` make it.

    ``without`` are the same messages without the passages. Both times the answer is read as the same tokens.

    Raises:
        InvalidInput: the server cut the answer into other tokens, or it has none.
        ChatUnavailable: the server does not answer, or gives no log-probabilities of prompts.
    """
    ours, theirs = await scorer.score(given, answer), await scorer.score(without, answer)
    if _texts(ours) != _texts(theirs):
        raise InvalidInput(
            f"the answer was cut into {len(ours)} tokens with passages and {len(theirs)} others without: S2 cannot be "
            "told of it"
        )
    return log_probability_gain([each.logprob for each in ours], [each.logprob for each in theirs])


def _texts(tokens: Sequence[ReplyToken]) -> list[str]:
    return [each.text for each in tokens]


# What each condition is, in the order of the tables.
CONDITIONS: Mapping[str, str] = {
    "A": "the first draft",
    "B": "no passages",
    "C1": "another seed",
    "C2": "every draft written again, told to look once more",
    "D": "the lowest overlap (S3) written again under the fixed critique",
    "D kept": "as D, but the rewrite is kept only where it is no worse, as the product does",
    "auto": "as D, only where retrieval looks noisy",
    "E": "every draft written again under the model's own critique (Self-Refine)",
    "always": "every draft written again under the fixed critique",
    "v2a": "flagged drafts written again, the passages named",
    "v2b": "as v2a, and told to leave out what rests on none",
    "v2c": "flagged drafts written again under the fixed critique, no passage named",
}
# Far from any seed that a person would give.
_OTHER_SEED = 1_000_003


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParts:
    """Who writes and who judges.

    ``flag`` flags passages for v2a, v2b and v2c; None: those that the draft cites though they are labelled irrelevant
    (or, without labels, bear nothing out). ``scorer`` gives S2; None: it is left out.
    """

    chat: ChatModel
    services: Services
    temperature: float = 0.7
    flag: FlagPassages | None = None
    scorer: TextScorer | None = None


async def run_case(case: StudyCase, seed: int, parts: StudyParts) -> Outcome:
    """Write all texts of one case by one seed, and measure each.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    run = _CaseRun(case, seed, parts)
    first = await run.write("A")
    given = run.chat.last
    memory = await run.write_from_memory()
    await run.write("C1", seed=seed + _OTHER_SEED)
    await run.write("C2", critique=fixed_critique("generic"), draft=first.text)
    rewrite = await run.write("always", critique=fixed_critique("v2c"), draft=first.text)
    await run.refine_oneself(first)
    flagged = await run.flag(first)
    for wording in ("v2a", "v2b") if flagged else ():
        await run.write(wording, critique=fixed_critique(wording, flagged), draft=first.text)
    both = [await check_draft(parts.services, case, draft) for draft in (first, rewrite)]
    choice = choose_draft(both[0], both[1])
    overlap = float(run.answers["A"]["numbers"][OVERLAP])
    difficulty = gauge_difficulty(case.question, case.passages, overlap=overlap)
    return Outcome(
        id=outcome_id(case, seed),
        values={
            "case": case.id,
            "shape": case.shape,
            "seed": seed,
            "answers": run.answers,
            "flagged": list(flagged),
            "keeps_rewrite": choice.kept == "rewrite",
            "noisy": difficulty.noisy,
            "difficulty": difficulty.value,
            "S1": answer_similarity(first.text, memory.text),
            "S2": await _gain(parts.scorer, first, given, case),
        },
        trace={"question": case.question, "A": marked_text(first), "always": marked_text(rewrite)},
    )


def outcome_id(case: StudyCase, seed: int) -> str:
    """Return the id of a case by one seed."""
    return f"{case.shape}/{case.id}/{seed}"


def calls_of(condition: str, values: Mapping[str, Any], threshold: float) -> tuple[int, int]:
    """Return how many replies a condition takes, and of how many characters: the first draft's count with a rewrite."""
    answers = values["answers"]
    text = text_of(condition, values, threshold)
    # A rewrite that is not kept was written all the same.
    if condition == "D kept":
        text = text_of("D", values, threshold)
    calls, characters = answers[text]["calls"], answers[text]["characters"]
    if text not in ("A", "B", "C1"):
        calls, characters = calls + answers["A"]["calls"], characters + answers["A"]["characters"]
    return calls, characters


class _CaseRun:
    """The texts of one case by one seed, as they are written; ``chat`` is that of the last one."""

    def __init__(self, case: StudyCase, seed: int, parts: StudyParts) -> None:
        self._case = case
        self._seed = seed
        self._parts = parts
        self.answers: dict[str, dict[str, Any]] = {}
        self.chat = self._model(seed)

    def _model(self, seed: int) -> SeededChatModel:
        return SeededChatModel(self._parts.chat, temperature=self._parts.temperature, seed=seed)

    async def write(self, name: str, *, seed: int | None = None, critique: str = "", draft: str = "") -> Draft:
        self.chat = self._model(self._seed if seed is None else seed)
        written = await write_draft(self.chat, self._case.question, self._case.passages, critique=critique, draft=draft)
        await self._keep(name, written)
        return written

    async def write_from_memory(self) -> Draft:
        self.chat = self._model(self._seed)
        written = await write_from_memory(self.chat, self._case.question)
        await self._keep("B", written, grounded=False)
        return written

    async def refine_oneself(self, first: Draft) -> None:
        """Have the draft criticised by its writer, and written again; an empty critique leaves it as it is."""
        self.chat = self._model(self._seed)
        own = await criticise(self.chat, self._case.question, first.text, self._case.passages)
        written = first
        if own:
            written = await write_draft(
                self.chat, self._case.question, self._case.passages, critique=own, draft=first.text
            )
        await self._keep("E", written)

    async def flag(self, first: Draft) -> tuple[int, ...]:
        """Return the passages that the first draft should not have leaned on."""
        case, flag = self._case, self._parts.flag
        if flag is None:
            return flag_passages(case, await cited_pairs(self._parts.services.faithfulness_judge, case, first))
        use = await flag(case.question, first.text, case.passages)
        # Where people said what bears on the question, theirs is the word on it.
        return tuple(each for each in use.used if not case.relevant[each]) if case.relevant else use.flagged

    async def _keep(self, name: str, draft: Draft, *, grounded: bool = True) -> None:
        pairs = await cited_pairs(self._parts.services.faithfulness_judge, self._case, draft) if grounded else ()
        self.answers[name] = {
            "text": marked_text(draft),
            "numbers": numbers_of(self._case, draft, pairs, grounded=grounded),
            "calls": self.chat.spent.calls,
            "characters": self.chat.spent.characters,
        }


async def _gain(scorer: TextScorer | None, first: Draft, given: Any, case: StudyCase) -> float | None:
    if scorer is None:
        return None
    try:
        return await measure_gain(scorer, first.text, given=given, without=closed_book(case.question))
    except InvalidInput:
        # The answer is empty, or was cut into other tokens: it has no S2.
        return None
