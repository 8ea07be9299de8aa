"""Collect every arm's answer to every case, and store finished work so that an interrupted run can continue."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel

from agent.services import Services
from contracts.errors import MalformedReply, Unavailable
from contracts.text import Passage
from contracts.verdicts import Draft
from golden_lab.experiments.cases import ExperimentCase
from golden_lab.experiments.form import EMBEDDED, Arm, Experiment
from golden_lab.outcomes import OutcomeStore
from golden_lab.results import Outcome
from golden_lab.systems.simple import as_asked
from intrinsics.answer_generation.base import WritingBrief
from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.chat.errors import ChatRefused
from tools.chat.reply_limits import RepeatingReply, TruncatedReply
from tools.concurrency import run_concurrently
from tools.language.abstention import says_unknown

Stage = Literal["asked", "scored"]
# Reports the running stage, the number of finished jobs, and the total.
OnProgress = Callable[[str, int, int], None]


class ArmAnswer(BaseModel, frozen=True):
    """The answer of an arm to a case.

    ``outcome`` is "declined" if the arm says that it does not know, "empty" if there is no text. ``passages`` are the
    texts that the arm read. ``cut`` means that the answer reached the maximum number of tokens, ``repeating`` that it
    was stopped because it repeated itself.
    """

    arm: str
    case: str
    outcome: Literal["answered", "declined", "empty"]
    text: str
    passages: tuple[str, ...]
    cut: bool = False
    repeating: bool = False
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An answer that is missing or was not scored, and the reason."""

    stage: Stage
    arm: str
    case: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ArmServices:
    """The services that arms use to answer.

    ``chat`` is None if no arm uses a model on a server; ``models`` maps each arm to its model. ``services`` belong to
    the embedded engine and include the library if an arm searches it; ``library`` identifies its contents.
    """

    chat: ChatModel | None
    models: Mapping[str, str]
    services: Services
    library: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One answer to request or to score; ``do`` returns JSON values, which are stored under ``id``."""

    id: str
    arm: str
    case: str
    do: Callable[[], Awaitable[Mapping[str, Any]]]


async def do_all(
    works: Sequence[Job], store: OutcomeStore, name: str, stage: Stage, *, at_once: int, on_progress: OnProgress
) -> tuple[dict[tuple[str, str], Mapping[str, Any]], tuple[Failure, ...]]:
    """Run the jobs that are not yet in the file ``name`` of ``store``; return values by arm and case, and failures.

    A job fails if the server refuses the request or gives no usable reply; a later run tries it again.

    Raises:
        Unavailable: the chat server no longer answers; finished work is kept.
    """
    failures = []
    with store.open("answers" if stage == "asked" else "scores", name) as log:
        waiting = [work for work in works if work.id not in log.stored]
        done = len(works) - len(waiting)

        async def run(work: Job) -> None:
            nonlocal done
            try:
                log.append(Outcome(id=work.id, values=await work.do()), 0.0)
            except (MalformedReply, ChatRefused) as error:
                failures.append(Failure(stage=stage, arm=work.arm, case=work.case, reason=str(error)))
            except Unavailable as error:
                raise Unavailable(f"{error} Finished work is kept: run the same command to continue.") from error
            done += 1
            on_progress(stage, done, len(works))

        await run_concurrently([partial(run, work) for work in waiting], at_once)
        found = {(each.arm, each.case): log.stored[each.id].outcome.values for each in works if each.id in log.stored}
    return found, tuple(sorted(failures, key=lambda each: (each.arm, each.case)))


async def ask_all(
    experiment: Experiment,
    cases: Sequence[ExperimentCase],
    bench: ArmServices,
    store: OutcomeStore,
    *,
    at_once: int,
    on_progress: OnProgress,
) -> tuple[tuple[ArmAnswer, ...], tuple[Failure, ...]]:
    """Return the answers of all arms to all cases, and the failures.

    The key of a stored answer includes everything it depends on, such as the model, the prompt and the library.
    """

    async def ask(arm: Arm, case: ExperimentCase) -> Mapping[str, Any]:
        return (await answer_case(experiment, arm, case, bench)).model_dump(mode="json")

    works = [
        Job(id=_answer_id(experiment, arm, case, bench), arm=arm.name, case=case.key, do=partial(ask, arm, case))
        for case in cases
        for arm in experiment.arms
    ]
    found, failures = await do_all(works, store, "answers", "asked", at_once=at_once, on_progress=on_progress)
    return tuple(ArmAnswer.model_validate(each) for each in found.values()), failures


async def answer_case(experiment: Experiment, arm: Arm, case: ExperimentCase, bench: ArmServices) -> ArmAnswer:
    """Have ``arm`` answer ``case``, with greedy decoding.

    Raises:
        Unavailable: a chat server or an index does not answer, or the reply is missing.
        ConfigurationError: the prompt cannot be read, or contains an unknown variable.
    """
    begun = time.perf_counter()
    passages = case.passages
    if arm.context == "retrieved":
        passages = await bench.services.searcher.search([case.question], arm.passages)
    text, cut, repeating = "", False, False
    if arm.model == EMBEDDED or bench.chat is None:
        text = await _draft(case.question, passages, bench.services)
    else:
        request = ChatRequest(
            messages=_messages(experiment, arm, case, passages),
            max_tokens=arm.max_tokens,
            temperature=0.0,
            model=bench.models[arm.name],
        )
        # Use a stream, because only a stream is stopped when the model repeats itself.
        try:
            async with aclosing(bench.chat.stream(request)) as stream:
                async for piece in stream:
                    text += piece
        except TruncatedReply:
            cut = True
        except RepeatingReply:
            repeating = True
        text = text.strip()
    return ArmAnswer(
        arm=arm.name,
        case=case.key,
        outcome="empty" if not text else "declined" if says_unknown(text) else "answered",
        text=text,
        passages=tuple(each.text for each in passages),
        cut=cut,
        repeating=repeating,
        milliseconds=(time.perf_counter() - begun) * 1_000,
    )


def short_digest(*parts: str) -> str:
    """Return a digest of ``parts``, twelve hexadecimal digits long."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _answer_id(experiment: Experiment, arm: Arm, case: ExperimentCase, bench: ArmServices) -> str:
    prompt = experiment.prompt_of(arm)
    depends_on = short_digest(
        arm.model_dump_json(exclude={"title"}),
        bench.models[arm.name],
        prompt.model_dump_json() if prompt else "",
        bench.library if arm.context == "retrieved" else "",
        case.question,
        *(each.text for each in case.passages),
        *(each.content for each in case.messages),
    )
    return f"{arm.name} / {case.key} / {depends_on}"


def _messages(
    experiment: Experiment, arm: Arm, case: ExperimentCase, passages: Sequence[Passage]
) -> tuple[ChatMessage, ...]:
    prompt = experiment.prompt_of(arm)
    if prompt is None:
        return case.messages
    return prompt.messages(passage="\n\n".join(each.text.strip() for each in passages), question=case.question)


async def _draft(question: str, passages: tuple[Passage, ...], services: Services) -> str:
    if not passages:
        return "I do not know: there is no passage to answer from."
    brief = WritingBrief(question=as_asked(question), passages=passages)
    parts = [each async for each in services.answer_writer.write(brief)]
    assert isinstance(parts[-1], Draft)
    return parts[-1].text.strip()
