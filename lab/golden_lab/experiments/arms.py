"""One arm answers one case: what it reads, how it is asked, and what came of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from agent.services import Services
from contracts.errors import InvalidInput
from contracts.text import Passage
from contracts.verdicts import Draft
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.form import EMBEDDED, Arm, Experiment
from golden_lab.systems.golden import GoldenSystem
from golden_lab.systems.measures import SystemQuestion
from golden_lab.systems.writing import as_asked
from intrinsics.answer_generation.base import WritingBrief
from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.language.abstention import says_unknown

AnswerOutcome = Literal["answered", "declined", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmAnswer:
    """What an arm answered to a case by a seed.

    ``outcome``: "declined" where the text says in essence that it does not know, "empty" where there is none.
    ``passages`` are the texts that it read, ``cut`` says that it reached its most tokens.
    """

    arm: str
    case: str
    seed: int
    outcome: AnswerOutcome
    text: str
    passages: tuple[str, ...]
    model: str
    cut: bool
    milliseconds: float

    @property
    def key(self) -> str:
        """The name of the answer."""
        return answer_key(self.arm, self.case, self.seed)


def answer_key(arm: str, case: str, seed: int) -> str:
    """Return the name of an arm's answer to a case by a seed."""
    return f"{arm} / {seed} / {case}"


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What arms answer with.

    ``chat`` is None where no arm has a model on a server, ``models`` gives each arm's model there. ``services`` are the
    embedded engine's, over the library where an arm searches it.
    """

    chat: ChatModel | None
    models: Mapping[str, str]
    services: Services

    @cached_property
    def bot(self) -> GoldenSystem:
        """The bot's own steps."""
        return GoldenSystem(self.services)


class ArmWriter:
    """Writes an arm's answers."""

    def __init__(self, experiment: Experiment, arm: Arm, bench: Bench) -> None:
        """Read the arm's prompt.

        Raises:
            ConfigurationError: the prompt file cannot be read or is no prompt.
            InvalidInput: the arm asks a chat server, and there is none.
        """
        self._arm = arm
        self._bench = bench
        self._temperature = experiment.temperature
        self._prompt = experiment.prompt_of(arm)
        if arm.model != EMBEDDED and bench.chat is None:
            raise InvalidInput(f"the arm {arm.name} needs a chat server: set GOLDEN_LLM_BASE_URL", field="arms")

    async def write(self, case: ExperimentCase, seed: int) -> ArmAnswer:
        """Answer ``case``; ``seed`` draws what a temperature above 0 leaves open.

        Raises:
            Unavailable: a chat server or an index does not answer, or not with a reply.
            ConfigurationError: the prompt names a variable that there is not.
        """
        begun = time.perf_counter()
        if self._arm.context == "graph":
            found = await self._bench.bot.answer(SystemQuestion(text=case.question))
            if self._arm.model == EMBEDDED or not found.passages:
                return self._answer(case, seed, found.text, found.passages, begun, declined=found.declined)
            passages = found.passages[: self._arm.passages]
        else:
            passages = await self._passages(case)
        if self._bench.chat is None or self._arm.model == EMBEDDED:
            text = await self._draft(case.question, passages)
            return self._answer(case, seed, text, passages, begun)
        reply = await self._bench.chat.complete(
            ChatRequest(
                messages=self._messages(case, passages),
                max_tokens=self._arm.max_tokens,
                temperature=self._temperature,
                seed=seed if self._temperature else None,
                model=self._bench.models[self._arm.name],
            )
        )
        return self._answer(case, seed, reply.text, passages, begun, cut=reply.truncated)

    async def _passages(self, case: ExperimentCase) -> tuple[Passage, ...]:
        match self._arm.context:
            case "retrieved":
                return await self._bench.services.searcher.search([case.question], self._arm.passages)
            case "none":
                return ()
            case _:
                return case.passages

    def _messages(self, case: ExperimentCase, passages: tuple[Passage, ...]) -> tuple[ChatMessage, ...]:
        if self._prompt is None:
            return case.messages
        return self._prompt.messages(
            passage="\n\n".join(each.text.strip() for each in passages), question=case.question
        )

    async def _draft(self, question: str, passages: tuple[Passage, ...]) -> str:
        if not passages:
            return "I do not know: there is no passage to answer from."
        brief = WritingBrief(question=as_asked(question), passages=passages)
        async for piece in self._bench.services.answer_writer.write(brief):
            if isinstance(piece, Draft):
                return piece.text
        raise RuntimeError("the writer ended without a draft")

    def _answer(
        self,
        case: ExperimentCase,
        seed: int,
        text: str,
        passages: tuple[Passage, ...],
        begun: float,
        *,
        declined: bool = False,
        cut: bool = False,
    ) -> ArmAnswer:
        said = text.strip()
        outcome: AnswerOutcome = "empty" if not said else "declined" if declined or says_unknown(said) else "answered"
        return ArmAnswer(
            arm=self._arm.name,
            case=case.key,
            seed=seed,
            outcome=outcome,
            text=said,
            passages=tuple(each.text for each in passages),
            model=self._bench.models[self._arm.name],
            cut=cut,
            milliseconds=(time.perf_counter() - begun) * 1_000,
        )
