"""Every arm is asked every case; a server that fails again and again ends it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from contracts.errors import MalformedReply, Unavailable
from evaluation.results import Outcome
from golden_lab.experiments.arms import ArmAnswer, ArmWriter, Bench, answer_key
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.folder import ExperimentFolder
from golden_lab.experiments.form import Experiment
from golden_lab.outcomes import OutcomeLog
from tools.chat.base import ChatModel
from tools.chat.refusal import ChatLocked, ChatRefused
from tools.side_by_side import run_side_by_side

# So many requests in a row without an answer are no matter of the requests.
MOST_IN_A_ROW = 5


class Patience:
    """Lets single failures pass, and ends the run where none of the next requests would pass either.

    Else a server that went away would make a failure of everything that is left.
    """

    def __init__(self, chat: ChatModel | None) -> None:
        self._chat = chat
        self._in_a_row = 0

    def passed(self) -> None:
        """Take note of a request that was answered."""
        self._in_a_row = 0

    async def failed(self, error: Unavailable) -> None:
        """Take note of a request that failed with ``error``.

        Raises:
            Unavailable: the server does not let us in, does not answer, or has failed too often in a row.
        """
        if isinstance(error, ChatLocked):
            raise error
        if isinstance(error, MalformedReply | ChatRefused):
            self.passed()
            return
        self._in_a_row += 1
        if self._in_a_row >= MOST_IN_A_ROW:
            raise Unavailable(
                f"{error} {MOST_IN_A_ROW} requests in a row were not answered, so the run ends here. What is done is "
                "kept: give the same command again, for a slow server with fewer --at-once or a larger "
                "GOLDEN_LLM_TIMEOUT_S."
            ) from error
        if self._chat is not None:
            await self._chat.check()


# Says which stage runs, how much of it is done, and how much there is.
OnProgress = Callable[[str, int, int], None]
_LOG = "answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An answer that was not given, or not scored, and why."""

    stage: Literal["asked", "scored"]
    arm: str
    case: str
    seed: int
    reason: str


async def ask_all(
    experiment: Experiment,
    cases: Sequence[ExperimentCase],
    bench: Bench,
    folder: ExperimentFolder,
    *,
    at_once: int = 1,
    on_progress: OnProgress = lambda stage, done, total: None,
) -> tuple[tuple[ArmAnswer, ...], tuple[Failure, ...]]:
    """Return the answers of all arms to all cases by all seeds, and those that did not come.

    What the server refuses, or answers late or in no usable form, counts as a failure of that arm; it is asked again in
    a later run. Where the server itself is gone the run ends.

    Raises:
        Unavailable: the chat server does not answer any more; what was answered before is kept.
    """
    writers = {arm.name: ArmWriter(experiment, arm, bench) for arm in experiment.arms}
    wanted = [(case, arm.name, seed) for case in cases for seed in experiment.seeds for arm in experiment.arms]
    failures: list[Failure] = []
    patience = Patience(bench.chat)
    with folder.outcomes.open(_LOG, _LOG) as log:
        waiting = [each for each in wanted if answer_key(each[1], each[0].key, each[2]) not in log.stored]
        done = len(wanted) - len(waiting)

        async def ask(case: ExperimentCase, arm: str, seed: int) -> None:
            nonlocal done
            try:
                _keep(log, await writers[arm].write(case, seed))
                patience.passed()
            except Unavailable as error:
                await patience.failed(error)
                failures.append(Failure(stage="asked", arm=arm, case=case.key, seed=seed, reason=str(error)))
            done += 1
            on_progress("asking", done, len(wanted))

        on_progress("asking", done, len(wanted))
        await run_side_by_side([partial(ask, *each) for each in waiting], at_once)
        keys = [answer_key(arm, case.key, seed) for case, arm, seed in wanted]
        answers = tuple(_answer(log.stored[key].outcome.values) for key in keys if key in log.stored)
    order = {key: at for at, key in enumerate(keys)}
    return answers, tuple(sorted(failures, key=lambda each: order[answer_key(each.arm, each.case, each.seed)]))


def _keep(log: OutcomeLog, answer: ArmAnswer) -> None:
    log.append(Outcome(id=answer.key, values=asdict(answer)), answer.milliseconds / 1_000)


def _answer(values: Any) -> ArmAnswer:
    return ArmAnswer(**{**values, "passages": tuple(values["passages"])})
