"""The report of a trained encoder: JSON for programs, a table for people."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from golden_lab.encoders.measuring import Compared, EncoderReport

_HEAD = (
    "| judgement | benchmark | figure | before | after | difference (95 %) | ms a case before, after | CPU ms before, "
    "after | Granite 3.3 8B with its adapter |\n|---|---|---|---|---|---|---|---|---|"
)


def report_as_json(report: EncoderReport) -> str:
    """Return the report as JSON text, with the decision for each judgement."""
    judgements = dict.fromkeys(each.judgement for each in report.compared)
    content: Mapping[str, Any] = {
        **asdict(report),
        "better": [name for name in judgements if report.is_better(name)],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def report_as_markdown(report: EncoderReport) -> str:
    """Return the report as a Markdown table with a line about each judgement."""
    lines = [
        f"Encoder {report.encoder}, {report.bytes / 1_000_000:.1f} MB; embedding model {report.embedder}; "
        f"seed {report.seed}. Command: `golden-lab encoder`.",
        "",
        _HEAD,
        *(_row(each) for each in report.compared),
        "",
    ]
    for name in dict.fromkeys(each.judgement for each in report.compared):
        said = "better by more than the interval" if report.is_better(name) else "not better by more than the interval"
        lines.append(f"* {name}: {said}.")
    return "\n".join(lines) + "\n"


def _row(each: Compared) -> str:
    difference = each.difference
    cells = (
        each.judgement,
        f"{each.benchmark} ({each.cases} cases, {each.groups} groups)",
        each.metric,
        f"{each.before:.3f}",
        f"{each.after:.3f}",
        f"{difference.value:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})",
        f"{each.spent_before.wall_ms:.0f}, {each.spent_after.wall_ms:.0f}",
        f"{each.spent_before.cpu_ms:.0f}, {each.spent_after.cpu_ms:.0f}",
        each.published or "none published",
    )
    return "| " + " | ".join(cells) + " |"
