"""The figures of a served load, made of what the clients, the server's probe and the simulated model saw."""

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.speed.llm_server import Call, Rate
from evaluation.speed.serve_clients import Loaded, Streamed
from evaluation.speed.serve_probe import ProbeReport

# What is promised: at so many clients on a simulated model, 95 of 100 questions wait less than so much longer for
# their end than the model took.
TARGET_CLIENTS, TARGET_ADDED_MS = 64, 100.0
_WORDS = re.compile(r"\w+")
_LEAST_WORDS = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Percentiles of milliseconds."""

    p50: float
    p95: float
    p99: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Resident MB of the server over one level; ``slope_mb`` is how much it grew in 1 000 questions, as a line.

    Of several processes it is the sum; pages that they share count in each.
    """

    start_mb: float
    peak_mb: float
    end_mb: float
    slope_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What the server added to the model's time: in all, before the model was first asked, and after it last ended.

    ``unmatched`` counts the whole streams for whose question the simulated model saw no call, as where the bot
    declines; they are left out.
    """

    total: Spread
    before: Spread
    after: Spread
    model: Spread
    unmatched: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSpeed:
    """One number of clients at once.

    Times are from the moment a question is sent, its connection being opened included; milliseconds. ``shares`` are
    parts of the cores that the server, the clients, the simulated model and everything else on the machine took, 1 for
    all cores. ``fewest`` and ``most`` are the questions that one client got an answer to. ``burst``: all asked in one
    moment, and once.

    Of a server of several processes, processor times, memory, tasks, threads and files are sums over all, with the one
    that looks after the workers; ``loop_cpu_ms`` sums the loops' threads. Each percentile of ``lag`` is that of the
    worker whose it is worst. ``by_worker`` are the questions that each worker answered.
    """

    clients: int
    answered: int
    repeated: int
    errors: Mapping[str, int]
    outcomes: Mapping[str, int]
    seconds: float
    first_byte: Spread | None
    draft: Spread | None
    content: Spread | None
    total: Spread | None
    added: Added | None
    lag: Spread | None
    memory: Memory
    cpu_ms: float | None
    loop_cpu_ms: float | None
    shares: Mapping[str, float]
    load_average: float | None
    tasks: int
    threads: int
    files: int | None
    fewest: int
    most: int
    by_worker: tuple[int, ...]
    burst: bool = False

    @property
    def per_s(self) -> float:
        """Questions answered a second."""
        return self.answered / self.seconds if self.seconds else 0.0

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where none is set: for other numbers of clients, and for a burst."""
        if self.clients != TARGET_CLIENTS or self.added is None or self.burst:
            return None
        return self.added.total.p95 < TARGET_ADDED_MS and not self.errors


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSpeed:
    """All levels, with what they were measured on."""

    revision: str
    machine: str
    engine: str
    workers: int
    rate: Rate | None
    distinct: int
    levels: tuple[LevelSpeed, ...]


def level_of(
    clients: int,
    loaded: Loaded,
    calls: Sequence[Call],
    *,
    before: Sequence[ProbeReport],
    after: Sequence[ProbeReport],
    model_cpu_s: float,
    machine_busy_s: float | None,
    elapsed_s: float,
    load_average: float | None,
    cores: int,
    burst: bool = False,
) -> LevelSpeed:
    """Return the figures of one level; ``elapsed_s`` is the time over which the processor times were taken.

    ``before`` and ``after`` are the reports of the server's processes.
    """
    whole = [each for each in loaded.streams if not each.error and each.done_s is not None]
    answers = Counter(each.client for each in whole)
    cpu_s = sum(each.cpu_s for each in after) - sum(each.cpu_s for each in before)
    loop_cpu_s = sum(each.loop_cpu_s for each in after) - sum(each.loop_cpu_s for each in before)
    workers = [each for each in after if each.serves]
    files = [each.files for each in after if each.files is not None]
    shares = {"server": cpu_s, "clients": loaded.cpu_s, "model": model_cpu_s}
    if machine_busy_s is not None:
        shares["others"] = max(0.0, machine_busy_s - sum(shares.values()))
    ended = max((each.done_s for each in whole if each.done_s is not None), default=loaded.began_s)
    return LevelSpeed(
        clients=clients,
        answered=len(whole),
        repeated=loaded.repeated,
        errors=dict(Counter(each.error for each in loaded.streams if each.error)),
        outcomes=dict(Counter(each.outcome for each in whole)),
        seconds=ended - loaded.began_s,
        first_byte=_since_sent(whole, [each.first_byte_s for each in whole]),
        draft=_since_sent(whole, [each.draft_s for each in whole]),
        content=_since_sent(whole, [each.content_s for each in whole]),
        total=_since_sent(whole, [each.done_s for each in whole]),
        added=added_to(whole, calls) if calls else None,
        lag=_worst([found for each in workers if (found := spread(each.lags_ms)) is not None]),
        memory=_memory(_together([each.memory for each in after]), len(whole)),
        cpu_ms=1_000 * cpu_s / len(whole) if whole else None,
        loop_cpu_ms=1_000 * loop_cpu_s / len(whole) if whole else None,
        shares={name: taken / (elapsed_s * cores) for name, taken in shares.items()},
        load_average=load_average,
        tasks=sum(each.tasks for each in after),
        threads=sum(each.threads for each in after),
        files=sum(files) if files else None,
        fewest=min((answers[number] for number in range(clients)), default=0),
        most=max(answers.values(), default=0),
        by_worker=tuple(len(each.answered) for each in workers),
        burst=burst,
    )


def added_to(streams: Sequence[Streamed], calls: Sequence[Call]) -> Added | None:
    """Return what the server added to the model's time for each stream; None where no call belongs to one.

    The model's time of a stream is that in which at least one of its calls was under way.
    """
    owned = calls_of(streams, calls)
    totals, befores, afters, models = [], [], [], []
    for stream, own in zip(streams, owned, strict=True):
        if not own:
            continue
        done = stream.done_s or stream.sent_s
        model_s, last = 0.0, stream.sent_s
        for call in own:
            ended = call.began_s + call.milliseconds / 1_000
            model_s += max(0.0, ended - max(last, call.began_s))
            last = max(last, ended)
        totals.append((done - stream.sent_s - model_s) * 1_000)
        befores.append((own[0].began_s - stream.sent_s) * 1_000)
        afters.append((done - last) * 1_000)
        models.append(model_s * 1_000)
    total, first, end, model = spread(totals), spread(befores), spread(afters), spread(models)
    if total is None or first is None or end is None or model is None:
        return None
    unmatched = sum(not own for own in owned)
    return Added(total=total, before=first, after=end, model=model, unmatched=unmatched)


def calls_of(streams: Sequence[Streamed], calls: Sequence[Call]) -> list[list[Call]]:
    """Return the calls that belong to each stream, by their beginning.

    A call belongs to a stream during which it began, of these to the one most of whose question's words stand in what
    it asks (at least four of five: the server corrects spellings), of equals to the one that has all of it verbatim.
    """
    words = [frozenset(_WORDS.findall(stream.question.casefold())) for stream in streams]
    owned: list[list[Call]] = [[] for _ in streams]
    for call in sorted(calls, key=lambda each: each.began_s):
        asked = frozenset(_WORDS.findall(call.asked.casefold()))
        best, owner = (_LEAST_WORDS, False), None
        for at, stream in enumerate(streams):
            if stream.sent_s <= call.began_s <= (stream.done_s or stream.sent_s):
                likeness = (len(words[at] & asked) / max(1, len(words[at])), stream.question in call.asked)
                if likeness > best or (owner is None and likeness >= best):
                    best, owner = likeness, at
        if owner is not None:
            owned[owner].append(call)
    return owned


def spread(values: Sequence[float]) -> Spread | None:
    """Return the percentiles of ``values``, each the smallest value that so many of 100 do not exceed; None of none."""
    ordered = sorted(values)
    if not ordered:
        return None

    def at(percent: int) -> float:
        return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]

    return Spread(p50=at(50), p95=at(95), p99=at(99), most=ordered[-1])


def _since_sent(streams: Sequence[Streamed], moments: Sequence[float | None]) -> Spread | None:
    pairs = zip(streams, moments, strict=True)
    return spread([(moment - each.sent_s) * 1_000 for each, moment in pairs if moment is not None])


def _worst(spreads: Sequence[Spread]) -> Spread | None:
    if not spreads:
        return None
    return Spread(
        p50=max(each.p50 for each in spreads),
        p95=max(each.p95 for each in spreads),
        p99=max(each.p99 for each in spreads),
        most=max(each.most for each in spreads),
    )


def _together(processes: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """Return what all took together at each moment at which one was looked at: of the others what was seen last."""
    now = [samples[0][1] for samples in processes]
    found: list[tuple[float, float]] = []
    for moment, at, size in sorted((moment, at, size) for at, each in enumerate(processes) for moment, size in each):
        now[at] = size
        found.append((moment, sum(now)))
    return found


def _memory(samples: Sequence[tuple[float, float]], questions: int) -> Memory:
    moments, sizes = [moment for moment, _ in samples], [size for _, size in samples]
    slope = 0.0
    if len(set(moments)) > 1 and questions:
        a_second = statistics.linear_regression(moments, sizes).slope
        slope = a_second * (moments[-1] - moments[0]) / questions * 1_000
    return Memory(start_mb=sizes[0], peak_mb=max(sizes), end_mb=sizes[-1], slope_mb=slope)
