"""The results of judges, as text for a terminal and as plain JSON values."""

from collections.abc import Mapping, Sequence
from typing import Any

from golden_lab.intervals import Interval
from golden_lab.judge.agreement import TARGET_KENDALL, TARGET_SPEARMAN, AgreementReport
from golden_lab.judge.comparison import SystemComparison
from golden_lab.judge.grades import CRITERIA, GoldItem, Grades


def render_agreement(report: AgreementReport) -> str:
    """Return an agreement report as a table, with the targets and the excluded examples."""
    lines = [
        f"{report.judge} against people (95 % intervals, bootstrap, seed {report.seed})",
        f"{'criterion':<13} {'n':>4}  "
        + " ".join(f"{name:<20}" for name in ("Spearman ρ", "Kendall τ-b", "exact", "within 1", "judge − person")),
    ]
    for row in report.rows:
        cells = (row.spearman, row.kendall, row.exact, row.within_one)
        shown = " ".join(f"{_interval(cell):<20}" for cell in cells)
        lines.append(f"{row.criterion:<13} {row.n:>4}  {shown} {_interval(row.bias, sign=True)}")
    lines += [f"  {row.criterion}: no correlation: {row.no_correlation}" for row in report.rows if row.no_correlation]
    strong = [row.criterion for row in report.rows if row.strong]
    lines.append(
        f"Strong is ρ ≥ {TARGET_SPEARMAN} and τ ≥ {TARGET_KENDALL}: "
        f"{', '.join(strong) or 'not reached under any criterion'}."
    )
    if report.examples:
        lines.append(f"Shown to the judge as examples, and not counted: {', '.join(report.examples)}.")
    return "\n".join(lines)


def render_grades(items: Sequence[GoldItem], graded: Mapping[str, Grades]) -> str:
    """Return the grades of each answer and the means, by system if there are several."""
    head = "  ".join(f"{name:>12}" for name in (*CRITERIA, "weighted"))
    lines = [f"{'id':<24} {head}"]
    lines += [f"{item.id[:24]:<24} {_grades([graded[item.id]])}" for item in items]
    for system in dict.fromkeys(item.system for item in items):
        of_system = [graded[item.id] for item in items if item.system == system]
        label = f"mean of {system}" if system else "mean"
        lines.append(f"{label[:24]:<24} {_grades(of_system)}  n {len(of_system)}")
    return "\n".join(lines)


def grades_as_json(items: Sequence[GoldItem], graded: Mapping[str, Grades]) -> list[dict[str, Any]]:
    """Return one JSON object per answer: its id, system and grades."""
    return [
        {
            "id": item.id,
            "system": item.system,
            **graded[item.id].model_dump(),
            "weighted": graded[item.id].weighted,
        }
        for item in items
    ]


def render_comparison(found: SystemComparison) -> str:
    """Return a comparison in words, with its interval and significance test."""
    mean, inconsistent = found.mean, sum(not each.consistent for each in found.questions)
    return (
        f"{found.a} against {found.b}: {found.count(1)} won, {found.count(0)} tied, {found.count(-1)} lost of {mean.n} "
        f"questions\n  mean score {mean.difference:+.3f} (95 % {mean.low:+.3f} to {mean.high:+.3f}; 1 won, 0 tied, -1 "
        f"lost); sign test p {found.sign_p:.3f} (Holm {found.holm_p:.3f})"
        + (f"\n  {inconsistent} questions had another winner in each position: they are ties" if inconsistent else "")
    )


def _interval(cell: Interval | None, *, sign: bool = False) -> str:
    if cell is None:
        return "–"
    form = "+.2f" if sign else ".2f"
    return f"{cell.value:{form}} [{cell.low:{form}}, {cell.high:{form}}]"


def _grades(graded: Sequence[Grades]) -> str:
    count = len(graded)
    means = [sum(each.of(name) for each in graded) / count for name in CRITERIA]
    means.append(sum(each.weighted for each in graded) / count)
    return "  ".join(f"{mean:>12.2f}" for mean in means)
