"""Calls, tokens and the pipeline's own time as a table for people and as plain values for machines."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluation.speed.llm import TARGET_SHARE, Asked, LlmSpeed, ProfileSpeed
from evaluation.speed.tables import table


def render_llm(speed: LlmSpeed) -> str:
    """Return tables: calls, tokens and times a question in each profile, and the nodes that the time goes to."""
    load = "" if speed.load_average is None else f", load {speed.load_average:.1f}"
    rate = speed.rate
    rounds = len(speed.profiles[0].rounds)
    heads = ["one question, median", *(each.profile for each in speed.profiles)]
    lines = [
        f"one question on a language model at revision {speed.revision}; {speed.machine}{load}",
        f"a simulated server: reads {rate.prefill_per_s:g} tokens a second, writes {rate.decode_per_s:g}, "
        f"{rate.first_token_ms:g} ms before the first; no model, so nothing is said of answers",
        f"{len(speed.questions)} questions, {rounds} round{'' if rounds == 1 else 's'} after a warm-up",
        "",
        *table(heads, _rows(speed.profiles)),
        "prefix in common: tokens of the prompts that an earlier request of the question began with (estimated counts)",
        "own time: no request was under way at the server; × the model's time: over all questions of a round;",
        "passages never read: by no question since the start; what judging them needs was made between questions",
        "least own: of the rounds, each question's least; other work on the machine adds to every other figure of time",
        "",
        *table(["milliseconds in each step", *heads[1:]], _step_rows(speed.profiles)),
    ]
    for each in speed.profiles:
        degraded = [reason for asked in each.asked for reason in asked.degraded]
        if degraded:
            lines.append(f"NOTE    {each.profile}: {len(degraded)} steps ran degraded, such as {degraded[0]}")
    for each in speed.profiles:
        if each.met is not None and each.share is not None:
            word = "met" if each.met else "MISSED"
            lines.append(
                f"{word:<7} {each.profile}, own time by the model's: {each.share:.1%}, below {TARGET_SHARE:.0%}"
            )
    return "\n".join(lines)


def llm_as_json(speed: LlmSpeed) -> dict[str, Any]:
    """Return plain JSON values; times are in milliseconds, tokens are estimated."""
    return {
        "bench": "llm",
        "revision": speed.revision,
        "machine": speed.machine,
        "load_average": speed.load_average,
        "rate": asdict(speed.rate),
        "questions": list(speed.questions),
        "profiles": [_profile_as_json(each) for each in speed.profiles],
    }


def _profile_as_json(speed: ProfileSpeed) -> dict[str, Any]:
    return {
        "profile": speed.profile,
        "calls": speed.median(_calls),
        "prompt_tokens": speed.median(_prompt),
        "shared_prefix_tokens": speed.median(_shared),
        "completion_tokens": speed.median(_completion),
        "most_calls": max(len(each.calls) for each in speed.asked),
        "most_at_once": max(each.most_at_once for each in speed.asked),
        "wall_ms": speed.median(lambda each: each.wall_ms),
        "model_ms": speed.median(lambda each: each.model_ms),
        "own_ms": speed.median(lambda each: each.own_ms),
        "cpu_ms": speed.median(lambda each: each.cpu_ms),
        "share": speed.share,
        "shares": list(speed.shares),
        "least_share": speed.least_share,
        "unread_own_ms": speed.median(lambda each: each.unread[0]),
        "unread_shares": list(speed.unread_shares),
        "met": speed.met,
        "steps_ms": _steps(speed),
        "rounds": [[{**asdict(each), "own_ms": each.own_ms} for each in one] for one in speed.rounds],
    }


def _rows(profiles: Sequence[ProfileSpeed]) -> list[list[str]]:
    def row(name: str, cell: Any) -> list[str]:
        return [name, *(cell(each) for each in profiles)]

    return [
        row("calls (most)", lambda p: f"{p.median(_calls):g} ({max(len(each.calls) for each in p.asked)})"),
        row("  at once at most", lambda p: f"{max(each.most_at_once for each in p.asked)}"),
        row("tokens of prompts", lambda p: f"{p.median(_prompt):,.0f}"),
        row("  prefix in common", lambda p: f"{p.median(_shared):,.0f}"),
        row("tokens of replies", lambda p: f"{p.median(_completion):,.0f}"),
        row("ms in all", lambda p: f"{p.median(lambda each: each.wall_ms):,.0f}"),
        row("  of the model", lambda p: f"{p.median(lambda each: each.model_ms):,.0f}"),
        row("  own", lambda p: f"{p.median(lambda each: each.own_ms):,.0f}"),
        row("  of the processor", lambda p: f"{p.median(lambda each: each.cpu_ms):,.0f}"),
        row("own × the model's time (spread)", lambda p: _share(p.shares)),
        row("least own × the model's time", lambda p: "–" if p.least_share is None else f"{p.least_share:.1%}"),
        row("  own, passages never read", lambda p: f"{p.median(lambda each: each.unread[0]):,.0f}"),
        row("  × the model's time (spread)", lambda p: _share(p.unread_shares)),
    ]


def _share(shares: Sequence[float]) -> str:
    if not shares:
        return "–"
    return f"{statistics.median(shares):.1%} ({min(shares):.1%} to {max(shares):.1%})"


def _step_rows(profiles: Sequence[ProfileSpeed]) -> list[list[str]]:
    of_each = [_steps(each) for each in profiles]
    names = list(dict.fromkeys(name for steps in of_each for name in steps))
    return [[f"  {name}", *(f"{steps[name]:.0f}" if name in steps else "–" for steps in of_each)] for name in names]


def _steps(speed: ProfileSpeed) -> dict[str, float]:
    """Return each node's median, in the order in which the nodes run; a node that runs twice counts as often."""
    found: dict[str, list[float]] = {}
    for each in speed.asked:
        for name, milliseconds in each.steps:
            found.setdefault(name, []).append(milliseconds)
    return {name: statistics.median(several) for name, several in found.items()}


def _calls(asked: Asked) -> float:
    return len(asked.calls)


def _prompt(asked: Asked) -> float:
    return sum(call.prompt_tokens for call in asked.calls)


def _shared(asked: Asked) -> float:
    return sum(call.shared_tokens for call in asked.calls)


def _completion(asked: Asked) -> float:
    return sum(call.completion_tokens for call in asked.calls)
