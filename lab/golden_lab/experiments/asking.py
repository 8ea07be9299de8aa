"""Every arm is asked every case; a server that fails again and again ends it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal

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


Stage = Literal["asked", "scored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An answer that was not given, or not scored, and why."""

    stage: Stage
    arm: str
    case: str
    seed: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is asked or scored once: ``work`` returns the outcome ``id`` and how many seconds it took."""

    id: str
    arm: str
    case: str
    seed: int
    work: Callable[[], Awaitable[tuple[Outcome, float]]]


async def run_jobs(
    jobs: Sequence[Job],
    stage: Stage,
    log: OutcomeLog,
    chat: ChatModel | None,
    *,
    at_once: int,
    on_progress: OnProgress,
) -> tuple[Failure, ...]:
    """Do those of ``jobs`` that ``log`` does not hold, and return those that failed, in the order of ``jobs``.

    What the server refuses, or answers late or in no usable form, is a failure of that job; it is tried again in a
    later run. Where the server itself is gone the run ends.

    Raises:
        Unavailable: the chat server does not answer any more; what was done before is kept.
    """
    failures: dict[str, Failure] = {}
    patience = Patience(chat)
    waiting = [job for job in jobs if job.id not in log.stored]
    done = len(jobs) - len(waiting)
    shown = {"asked": "asking", "scored": "scoring"}[stage]

    async def run(job: Job) -> None:
        nonlocal done
        try:
            outcome, seconds = await job.work()
        except Unavailable as error:
            await patience.failed(error)
            failures[job.id] = Failure(stage=stage, arm=job.arm, case=job.case, seed=job.seed, reason=str(error))
        else:
            patience.passed()
            log.append(outcome, seconds)
        done += 1
        on_progress(shown, done, len(jobs))

    on_progress(shown, done, len(jobs))
    await run_side_by_side([partial(run, job) for job in waiting], at_once)
    return tuple(failures[job.id] for job in jobs if job.id in failures)


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

    Raises:
        Unavailable: the chat server does not answer any more; what was answered before is kept.
    """
    writers = {arm.name: ArmWriter(experiment, arm, bench) for arm in experiment.arms}

    async def ask(case: ExperimentCase, arm: str, seed: int) -> tuple[Outcome, float]:
        answer = await writers[arm].write(case, seed)
        return Outcome(id=answer.key, values=asdict(answer)), answer.milliseconds / 1_000

    jobs = [
        Job(
            id=answer_key(arm.name, case.key, seed),
            arm=arm.name,
            case=case.key,
            seed=seed,
            work=partial(ask, case, arm.name, seed),
        )
        for case in cases
        for seed in experiment.seeds
        for arm in experiment.arms
    ]
    with folder.outcomes.open(_LOG, _LOG) as log:
        failures = await run_jobs(jobs, "asked", log, bench.chat, at_once=at_once, on_progress=on_progress)
        answers = [log.stored[job.id].outcome.values for job in jobs if job.id in log.stored]
    return tuple(ArmAnswer(**{**each, "passages": tuple(each["passages"])}) for each in answers), failures
