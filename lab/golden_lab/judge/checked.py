"""A chat model grades against a reference answer, and checks an answer claim by claim."""

import time
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput, MalformedReply
from contracts.provenance import Provenance
from golden_lab.judge.base import CheckedClaim, ReferenceGrades
from golden_lab.judge.grades import AnswerToGrade
from golden_lab.judge.prompted import shortened_passages
from golden_lab.judge.rubrics import RUBRICS_FOLDER, fence_one, fence_passages, load_rubric_prompt
from tools.chat.base import ChatModel, ChatRequest
from tools.reading.fencing import make_fence
from tools.structured import ask_structured

_MOST_CLAIMS = 60
_CLAIMS_AT_ONCE = 15


class RadReply(BaseModel):
    """The reply that the reference-based prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    explanation: str = ""
    faithfulness: int = Field(ge=1, le=10)
    appropriateness: int = Field(ge=1, le=10)
    completeness: int = Field(ge=1, le=10)


class ClaimsReply(BaseModel):
    """An answer's claims."""

    model_config = ConfigDict(extra="ignore")

    claims: list[str]


class ClaimVerdict(BaseModel):
    """The verdict on one claim."""

    model_config = ConfigDict(extra="ignore")

    reason: str = ""
    supported: bool


class SupportReply(BaseModel):
    """One verdict a claim, in their order."""

    model_config = ConfigDict(extra="ignore")

    verdicts: list[ClaimVerdict]


class PromptedReferenceGrader:
    """Asks a chat model for three grades of 1 to 10 beside a reference answer."""

    def __init__(self, chat: ChatModel, *, model: str = "", folder: Path = RUBRICS_FOLDER) -> None:
        self._chat = chat
        self._model = model
        self._folder = folder

    async def grade(self, item: AnswerToGrade) -> ReferenceGrades:
        """Grade an answer against ``item.reference``.

        Raises:
            InvalidInput: there is no reference.
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        started = time.perf_counter()
        if not item.reference.strip():
            raise InvalidInput(f"{item.id}: there is no reference answer to grade against", field="reference")
        prompt = load_rubric_prompt("rad", self._folder)
        fence = make_fence(item.question, item.answer, item.reference, *item.passages)
        messages = prompt.messages(
            fence=fence,
            question=fence_one("question", item.question, fence),
            passages=fence_passages(shortened_passages(item.passages), fence),
            reference=fence_one("reference", item.reference, fence),
            answer=fence_one("answer", item.answer, fence),
        )
        request = ChatRequest(messages=messages, max_tokens=400, model=self._model)
        reply = await ask_structured(self._chat, request, RadReply)
        return ReferenceGrades(
            faithfulness=reply.value.faithfulness,
            appropriateness=reply.value.appropriateness,
            completeness=reply.value.completeness,
            explanation=reply.value.explanation,
            provenance=Provenance(
                implementation="llm",
                model=reply.model or self._chat.model,
                prompt_version=prompt.version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )


class PromptedClaimChecker:
    """Asks a chat model for an answer's claims, then for a verdict on each, fifteen claims a request.

    At most 60 claims are checked.

    Source: the form of RAGAS faithfulness, statements then verdicts (Es et al. 2024, section 3).
    """

    def __init__(self, chat: ChatModel, *, model: str = "", folder: Path = RUBRICS_FOLDER) -> None:
        self._chat = chat
        self._model = model
        self._folder = folder

    async def check(self, item: AnswerToGrade) -> tuple[CheckedClaim, ...]:
        """Return the claims of an answer, each checked against the passages; without passages none is supported.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: a reply did not have the form asked for, or not one verdict a claim, twice.
        """
        if not item.answer.strip():
            return ()
        claims = await self._split(item)
        if not item.passages:
            return tuple(CheckedClaim(text=claim, supported=False, probability=0.0) for claim in claims)
        checked: list[CheckedClaim] = []
        for start in range(0, len(claims), _CLAIMS_AT_ONCE):
            part = claims[start : start + _CLAIMS_AT_ONCE]
            verdicts = await self._verify(part, item.passages)
            checked += [
                CheckedClaim(text=claim, supported=each.supported, probability=float(each.supported))
                for claim, each in zip(part, verdicts, strict=True)
            ]
        return tuple(checked)

    async def _split(self, item: AnswerToGrade) -> list[str]:
        fence = make_fence(item.question, item.answer)
        messages = load_rubric_prompt("claims", self._folder).messages(
            fence=fence,
            question=fence_one("question", item.question, fence),
            answer=fence_one("answer", item.answer, fence),
        )
        request = ChatRequest(messages=messages, max_tokens=1_500, model=self._model)
        reply = await ask_structured(self._chat, request, ClaimsReply)
        claims = dict.fromkeys(" ".join(claim.split()) for claim in reply.value.claims)
        return [claim for claim in claims if claim][:_MOST_CLAIMS]

    async def _verify(self, claims: list[str], passages: tuple[str, ...]) -> list[ClaimVerdict]:
        fence = make_fence(*claims, *passages)
        listed = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
        messages = load_rubric_prompt("support", self._folder).messages(
            fence=fence,
            passages=fence_passages(shortened_passages(passages), fence),
            claims=fence_one("claims", listed, fence),
        )
        request = ChatRequest(messages=messages, max_tokens=200 + 80 * len(claims), model=self._model)
        for _ in range(2):
            reply = await ask_structured(self._chat, request, SupportReply)
            if len(reply.value.verdicts) == len(claims):
                return reply.value.verdicts
        raise MalformedReply(
            f"The judge gave {len(reply.value.verdicts)} verdicts on {len(claims)} claims, twice: no claim can be told "
            "its verdict."
        )
