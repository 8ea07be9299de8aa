"""The figures of a served load as a table for people and as plain values for machines."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.speed.serve_values import TARGET_ADDED_MS, Added, LevelSpeed, ServeSpeed, Spread
from evaluation.speed.tables import table

Levels = Sequence[LevelSpeed]

_WORKERS = (
    "the lag is that of the worker with the worst; processor time, memory, tasks, threads and files are sums over the",
    "workers and the process that looks after them, and memory that they share counts in each",
)


def render_serve(speed: ServeSpeed) -> str:
    """Return a table with a column for each number of clients, and whether the target is met."""
    heads = ["clients at once", *(_name(each) for each in speed.levels)]
    repeated = sum(each.repeated for each in speed.levels)
    lines = [
        f"the server under load, engine {speed.engine}, {speed.workers} worker{'' if speed.workers == 1 else 's'}, "
        f"at revision {speed.revision}; {speed.machine}",
        *_model_lines(speed),
        f"{speed.distinct} questions of distinct wording, {repeated} asked more than once; the passages that they find "
        "were all read before",
        "",
        *table(heads, _rows(speed.levels, speed.workers)),
        "times in ms from sending, p50 / p95 / p99; each question opens a connection; content is checked, so it comes",
        "at the end, and the draft before it; lag: how late a timer of the server's loop rings; growth: resident",
        "memory, in 1,000 questions; the cores are shared by server, clients, simulated model and all else",
        *(_WORKERS if speed.workers > 1 else ()),
    ]
    for each in speed.levels:
        lines += [f"ERRORS  {_name(each)} clients: {count} × {what}" for what, count in each.errors.items()]
        if each.added is not None and each.added.unmatched:
            lines.append(f"NOTE    {_name(each)} clients: {each.added.unmatched} answers came without the model")
        if each.met is not None and each.added is not None:
            word = "MET" if each.met else "MISSED"
            lines.append(
                f"{word:<7} {each.clients} clients, added to the model's time, p95: {each.added.total.p95:,.0f} ms, "
                f"below {TARGET_ADDED_MS:g} ms"
            )
    return "\n".join(lines)


def serve_as_json(speed: ServeSpeed) -> dict[str, Any]:
    """Return plain JSON values; times are in milliseconds, memory in MB, shares are parts of all cores."""
    # JSON knows no infinity: what takes no time is null.
    rate = asdict(speed.rate) | {"prefill_per_s": None} if speed.rate else None
    return {
        "bench": "serve",
        "revision": speed.revision,
        "machine": speed.machine,
        "engine": speed.engine,
        "workers": speed.workers,
        "rate": rate,
        "distinct": speed.distinct,
        "levels": [{**asdict(each), "per_s": each.per_s, "met": each.met} for each in speed.levels],
    }


def _model_lines(speed: ServeSpeed) -> list[str]:
    if speed.rate is None:
        return []
    longer = f", {speed.rate.prose_tokens} tokens or more" if speed.rate.prose_tokens else ""
    return [
        f"a simulated model: writes {speed.rate.decode_per_s:g} tokens a second in each stream{longer}, "
        f"{speed.rate.first_token_ms:g} ms before the first; no request waits for another"
    ]


def _rows(levels: Levels, workers: int) -> list[list[str]]:
    def row(name: str, cell: Callable[[LevelSpeed], str]) -> list[str]:
        return [name, *(cell(each) for each in levels)]

    rows = [
        row("answered", lambda each: f"{each.answered:,}"),
        row("  by one client", lambda each: f"{each.fewest} to {each.most}"),
        *([row("  by each worker", lambda each: ", ".join(map(str, each.by_worker)))] if workers > 1 else []),
        row("errors", lambda each: f"{sum(each.errors.values())}"),
        row("answers a second", lambda each: f"{each.per_s:.2f}"),
        row("first byte", lambda each: _spread(each.first_byte)),
        row("first of the draft", lambda each: _spread(each.draft)),
        row("first content", lambda each: _spread(each.content)),
        row("whole answer", lambda each: _spread(each.total)),
    ]
    if any(each.added for each in levels):
        rows += [
            row("  of the model", lambda each: _added(each, lambda added: added.model)),
            row("  added by the server", lambda each: _added(each, lambda added: added.total)),
            row("    before the model", lambda each: _added(each, lambda added: added.before)),
            row("    after it", lambda each: _added(each, lambda added: added.after)),
        ]
    names = dict.fromkeys(name for each in levels for name in each.shares)
    return [
        *rows,
        row("lag of the loop", lambda each: _spread(each.lag)),
        row("server's CPU an answer, ms", lambda each: _number(each.cpu_ms)),
        row(f"  of the loop's thread{'' if workers == 1 else 's'}", lambda each: _number(each.loop_cpu_ms)),
        *(row(f"cores taken by {name}", lambda each, name=name: _share(each.shares.get(name))) for name in names),  # type: ignore[misc]
        row("load average before", lambda each: _number(each.load_average, 1)),
        row("server's memory, MB", lambda each: f"{each.memory.start_mb:.0f} to {each.memory.end_mb:.0f}"),
        row("  peak", lambda each: f"{each.memory.peak_mb:.0f}"),
        row("  growth", lambda each: f"{each.memory.slope_mb:+.1f}"),
        row("tasks, threads, files", lambda each: f"{each.tasks}, {each.threads}, {each.files or '–'}"),
    ]


def _name(level: LevelSpeed) -> str:
    return f"{level.clients}, a burst" if level.burst else str(level.clients)


def _added(level: LevelSpeed, part: Callable[[Added], Spread]) -> str:
    return _spread(part(level.added) if level.added else None)


def _spread(values: Spread | None) -> str:
    return "–" if values is None else f"{values.p50:,.0f} / {values.p95:,.0f} / {values.p99:,.0f}"


def _number(value: float | None, digits: int = 0) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
