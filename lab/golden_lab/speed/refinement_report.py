"""What refinement costs, as a table for people and as plain values for machines."""

from collections.abc import Callable
from typing import Any

from golden_lab.speed.refinement import PolicyCost, RefinementCost
from golden_lab.speed.tables import table


def render_refinement(cost: RefinementCost) -> str:
    """Return a table: a column for each policy."""

    def row(name: str, cell: Callable[[PolicyCost], str]) -> list[str]:
        return [name, *(cell(each) for each in cost.policies)]

    first = _replies(cost.policies[0])
    rows = [
        row("replies a question", lambda p: f"{_replies(p):.2f}"),
        row(f"  × {cost.policies[0].policy}", lambda p: f"{_replies(p) / first:.2f}"),
        row("written again", lambda p: f"{p.mean(lambda each: each.fired):.0%}"),
        row("  rewrite kept", lambda p: f"{p.mean(lambda each: each.kept_rewrite):.0%}"),
        row("review, ms", lambda p: f"{p.least(lambda each: each.review_ms):.1f}"),
        row("  of the question's own", lambda p: f"{_review_share(p):.1%}"),
        row("own ms a question", lambda p: f"{p.least(lambda each: each.question_ms):.0f}"),
    ]
    rounds = len(cost.policies[0].rounds)
    return "\n".join([
        f"refinement at revision {cost.revision}; {cost.machine}",
        f"{cost.questions} questions of the examples, {rounds} round{'' if rounds == 1 else 's'}, after a warm-up",
        "",
        *table(["a question", *(each.policy for each in cost.policies)], rows),
        "",
        "the writer is simulated: how often a draft is written again is its drafts' share, not that of a model's; of",
        "your own: golden-lab calibrate refinement. Milliseconds are the processor's, each question's least of all",
        "rounds; own: all that the bot computes for a question, the second check of a rewrite with it, no model's time",
    ])  # fmt: skip


def refinement_as_json(cost: RefinementCost) -> dict[str, Any]:
    """Return plain JSON values; times are processor milliseconds."""
    return {
        "bench": "refinement",
        "revision": cost.revision,
        "machine": cost.machine,
        "questions": cost.questions,
        "writer": "simulated",
        "policies": [
            {
                "policy": each.policy,
                "replies": _replies(each),
                "fired": each.mean(lambda one: one.fired),
                "kept_rewrite": each.mean(lambda one: one.kept_rewrite),
                "review_ms": each.least(lambda one: one.review_ms),
                "review_share": _review_share(each),
                "question_ms": each.least(lambda one: one.question_ms),
            }
            for each in cost.policies
        ],
    }


def _replies(cost: PolicyCost) -> float:
    return cost.mean(lambda each: each.replies)


def _review_share(cost: PolicyCost) -> float:
    return cost.least(lambda each: each.review_ms) / max(1e-9, cost.least(lambda each: each.question_ms))
