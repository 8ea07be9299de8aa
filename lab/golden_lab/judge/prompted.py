"""A chat model grades answers, checks their claims and compares them, with the prompts in ``rubrics/``."""

import asyncio
import json
import time
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, Field

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from golden_lab.judge.agreement import JudgeExample
from golden_lab.judge.grades import (
    CRITERIA,
    HIGHEST_GRADE,
    LOWEST_GRADE,
    AnswerPair,
    AnswerToGrade,
    CheckedClaim,
    Criterion,
    Grades,
    Preference,
    Winner,
)
from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.prompt_delimiters import delimit_texts, make_code
from tools.prompts import Prompt, load_prompt
from tools.structured import ask_structured

RUBRICS_FOLDER = Path(__file__).parents[1] / "rubrics"

_MAX_PASSAGE_CHARACTERS = 24_000
_MAX_ANSWER_CHARACTERS = 12_000
_MOST_CLAIMS = 60
_CLAIMS_AT_ONCE = 15


@cache
def load_rubric_prompt(name: str) -> Prompt:
    """Return the rubric prompt ``name`` (such as "pairwise")."""
    return load_prompt(RUBRICS_FOLDER / f"{name}.toml")


@cache
def scale_words(criterion: Criterion) -> tuple[str, str]:
    """Return the version of the scales, and the text of one scale for a prompt, best grade first."""
    scales = tomllib.loads((RUBRICS_FOLDER / "scales.toml").read_text("utf-8"))
    levels = enumerate(scales[criterion]["levels"], start=LOWEST_GRADE)
    return scales["version"], "\n".join(f"{grade}: {words}" for grade, words in reversed(list(levels)))


def _messages(
    name: str, passages: Sequence[str] = (), *, code: str = "", scale: str = "", **texts: tuple[str, str]
) -> tuple[ChatMessage, ...]:
    """Fill in a rubric prompt; the passages and ``texts`` (label, text) are enclosed in marks that no text contains.

    At most 24,000 characters of passages are shown in total; the last passage is cut.
    """
    code = code or make_code(*(text for _, text in texts.values()), *passages)
    shown: list[str] = []
    for passage in passages:
        if left := _MAX_PASSAGE_CHARACTERS - sum(map(len, shown)):
            shown.append(passage[:left])
    delimited = {
        variable: f"<<{label} {code}>>\n{text.strip() or '(empty)'}\n<<end {label} {code}>>"
        for variable, (label, text) in {**texts, "_none": ("passage", "(there is no passage)")}.items()
    }
    return load_rubric_prompt(name).messages(
        code=code, scale=scale, passages=delimit_texts(shown, code) if shown else delimited["_none"], **delimited
    )


class _GradeReply(BaseModel):
    explanation: str = ""
    score: int = Field(ge=LOWEST_GRADE, le=HIGHEST_GRADE)


class PromptedAnswerGrader:
    """Asks a chat model to grade each criterion separately.

    ``examples`` are shown as earlier turns, each with the person's explanation and score.
    """

    def __init__(self, chat: ChatModel, examples: Sequence[JudgeExample] = ()) -> None:
        self._chat = chat
        self._examples = tuple(examples)

    async def grade(self, item: AnswerToGrade) -> Grades:
        """Grade an answer on three scales of 1 to 5; an empty answer gets 1 without a request.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies for one criterion had the wrong format.
        """
        started = time.perf_counter()
        model = self._chat.model
        empty = _GradeReply(explanation="The answer is empty.", score=LOWEST_GRADE)
        graded = dict.fromkeys(CRITERIA, empty)
        if item.answer.strip():
            requests = [ChatRequest(messages=self._shown(item, criterion), max_tokens=400) for criterion in CRITERIA]
            replies = await asyncio.gather(*(ask_structured(self._chat, each, _GradeReply) for each in requests))
            graded = dict(zip(CRITERIA, (value for value, _ in replies), strict=True))
            model = replies[0][1].model or model
        versions = [f"{name} {load_rubric_prompt(name).version}" for name in CRITERIA]
        return Grades(
            relevance=graded["relevance"].score,
            faithfulness=graded["faithfulness"].score,
            completeness=graded["completeness"].score,
            explanation="\n".join(f"{name}: {' '.join(each.explanation.split())}" for name, each in graded.items()),
            provenance=_provenance(started, model, ", ".join([f"scales {scale_words('relevance')[0]}", *versions])),
        )

    def _shown(self, item: AnswerToGrade, criterion: Criterion) -> tuple[ChatMessage, ...]:
        examples = [example for example in self._examples if example.criterion == criterion]
        items = [example.item.to_grade for example in examples] + [item]
        code = make_code(*(text for each in items for text in (each.question, each.answer, *each.passages)))
        *before, asked = self._filled(item, criterion, code)
        turns: list[ChatMessage] = []
        for example in examples:
            reply = {"explanation": example.item.explanation.strip(), "score": example.item.score(criterion)}
            turns.append(self._filled(example.item.to_grade, criterion, code)[-1])
            turns.append(ChatMessage(role="assistant", content=json.dumps(reply, ensure_ascii=False)))
        return (*before, *turns, asked)

    @staticmethod
    def _filled(item: AnswerToGrade, criterion: Criterion, code: str) -> tuple[ChatMessage, ...]:
        answer = item.answer[:_MAX_ANSWER_CHARACTERS]
        return _messages(
            criterion, item.passages, code=code, scale=scale_words(criterion)[1],
            question=("question", item.question), answer=("answer", answer),
        )  # fmt: skip


class _ClaimsReply(BaseModel):
    claims: list[str]


class _ClaimVerdict(BaseModel):
    reason: str = ""
    supported: bool


class _SupportReply(BaseModel):
    verdicts: list[_ClaimVerdict]


class PromptedClaimChecker:
    """Asks a chat model for an answer's claims, then for a verdict on each, fifteen claims per request.

    At most 60 claims are checked.

    Source: RAGAS faithfulness, statements first and then verdicts (Es et al. 2024, section 3).
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    async def check(self, item: AnswerToGrade) -> tuple[CheckedClaim, ...]:
        """Return the claims of an answer, each checked against the passages; without passages, none is supported.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies had the wrong format or did not give one verdict per claim.
        """
        if not item.answer.strip():
            return ()
        messages = _messages("claims", question=("question", item.question), answer=("answer", item.answer))
        request = ChatRequest(messages=messages, max_tokens=1_500)
        reply, _ = await ask_structured(self._chat, request, _ClaimsReply)
        said = dict.fromkeys(" ".join(claim.split()) for claim in reply.claims)
        claims = [claim for claim in said if claim][:_MOST_CLAIMS]
        held: list[bool] = []
        for start in range(0, len(claims), _CLAIMS_AT_ONCE):
            part = claims[start : start + _CLAIMS_AT_ONCE]
            held += await self._verify(part, item.passages) if item.passages else [False] * len(part)
        return tuple(
            CheckedClaim(text=claim, supported=each, probability=float(each))
            for claim, each in zip(claims, held, strict=True)
        )

    async def _verify(self, claims: list[str], passages: tuple[str, ...]) -> list[bool]:
        listed = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
        messages = _messages("support", passages, claims=("claims", listed))
        request = ChatRequest(messages=messages, max_tokens=200 + 80 * len(claims))
        for _ in range(2):
            verdicts = (await ask_structured(self._chat, request, _SupportReply))[0].verdicts
            if len(verdicts) == len(claims):
                return [each.supported for each in verdicts]
        raise MalformedReply(f"The judge gave {len(verdicts)} verdicts on {len(claims)} claims, twice.")


class _WinnerReply(BaseModel):
    explanation: str = ""
    winner: str = Field(pattern="^(X|Y|tie)$")


class PromptedAnswerComparer:
    """Asks a chat model twice, with the answers in both orders; an answer wins only if it wins both times.

    Source: the blinded judge with swapped positions and a rule against length bias in Ngam 2026, "Self-Refine Fails for
    Grounded RAG at Small Scale", sections 3.5 and 3.7.3; swapping: Zheng et al. 2023, "Judging LLM-as-a-Judge".
    """

    def __init__(self, chat: ChatModel, *, model: str = "") -> None:
        self._chat = chat
        self._model = model

    async def compare(self, pair: AnswerPair) -> Preference:
        """Return which answer is better, or a tie.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies for one order had the wrong format.
        """
        started = time.perf_counter()
        requests = [
            ChatRequest(
                messages=_messages(
                    "pairwise", pair.passages, question=("question", pair.question), answer_x=("answer X", x),
                    answer_y=("answer Y", y),
                ),
                max_tokens=400,
                model=self._model,
            )
            for x, y in ((pair.first, pair.second), (pair.second, pair.first))
        ]  # fmt: skip
        one, other = await asyncio.gather(*(ask_structured(self._chat, each, _WinnerReply) for each in requests))
        names: dict[str, tuple[Winner, Winner]] = {
            "X": ("first", "second"), "Y": ("second", "first"), "tie": ("tie", "tie"),
        }  # fmt: skip
        forward, backward = names[one[0].winner][0], names[other[0].winner][1]
        return Preference(
            winner=forward if forward == backward else "tie",
            consistent=forward == backward,
            explanation=f"first as X: {one[0].explanation}\nsecond as X: {other[0].explanation}",
            provenance=_provenance(started, one[1].model or self._chat.model, load_rubric_prompt("pairwise").version),
        )


def _provenance(started: float, model: str, prompt_version: str) -> Provenance:
    return Provenance(
        implementation="llm",
        model=model,
        prompt_version=prompt_version,
        milliseconds=(time.perf_counter() - started) * 1_000,
    )
