"""Plots of the sources of claims: circles for three sources, by system and condition."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.plots import as_svg, canvas
from golden_lab.results import Figure
from golden_lab.triples.metrics import Region
from golden_lab.triples.pipeline import AttributedResponse

# A system under one condition.
Cell = tuple[str, str]

# Colours of reference, user and context, readable on white and on dark backgrounds.
_COLOURS = {"R": "#2f9461", "U": "#b7791f", "C": "#3d84c6"}
_RADIUS, _APART = 1.0, 0.62
_CENTRES = {"R": (0.0, _APART), "U": (-0.87 * _APART, -0.5 * _APART), "C": (0.87 * _APART, -0.5 * _APART)}
_LETTERS = {"R": (0.0, 1.8), "U": (-1.55, -1.2), "C": (1.55, -1.2)}
# The position of each region's percentage: (reference, user, context).
_PLACES: Mapping[Region, tuple[float, float]] = {
    (True, False, False): (0.0, 1.10),
    (False, True, False): (-0.99, -0.58),
    (False, False, True): (0.99, -0.58),
    (True, True, False): (-0.66, 0.37),
    (True, False, True): (0.66, 0.37),
    (False, True, True): (0.0, -0.77),
    (True, True, True): (0.0, 0.0),
}


def count_regions(responses: Sequence[AttributedResponse]) -> Counter[Region]:
    """Count the claims of responses by the exact set of sources that supports them."""
    return Counter(claim.region for response in responses for claim in response.claims)


def venn_matrix(cells: Mapping[Cell, Counter[Region]], title: str) -> Figure:
    """For each system (row) and condition (column), plot three circles with the percentage of claims in each region.

    Regions without claims are left empty; NONE is shown below. Source: TRIFEX, appendix D, figure 13.

    Raises:
        InvalidInput: there are no cells.
    """
    if not cells:
        raise InvalidInput(f'the plot "{title}" has nothing to show', field="cells")
    systems, conditions = (list(dict.fromkeys(cell[at] for cell in cells)) for at in (0, 1))
    with canvas(max(3.2, 2.3 * len(conditions) + 0.4), 2.5 * len(systems) + 0.5) as figure:
        grid = figure.subplots(len(systems), len(conditions), squeeze=False)
        for row, system in enumerate(systems):
            for column, condition in enumerate(conditions):
                axes = grid[row][column]
                axes.set_axis_off()
                if (system, condition) in cells:
                    _draw_venn(axes, cells[system, condition], _cell_title(system, condition))
        figure.suptitle(title, fontsize=11)
        svg = as_svg(figure, title)
    return Figure(title=title, svg=svg, description=_plot_description(cells))


def _cell_title(system: str, condition: str) -> str:
    return " · ".join(part for part in (system, condition) if part)


def _draw_venn(axes: Any, regions: Mapping[Region, int], title: str) -> None:
    from matplotlib.patches import Circle

    total = sum(regions.values())
    for name, centre in _CENTRES.items():
        axes.add_patch(Circle(centre, _RADIUS, facecolor=_COLOURS[name], alpha=0.2, edgecolor="none"))
        axes.add_patch(Circle(centre, _RADIUS, fill=False, edgecolor=_COLOURS[name], linewidth=1.2))
        axes.text(*_LETTERS[name], name, ha="center", va="center", fontsize=10, fontweight="bold", color=_COLOURS[name])
    for region, place in _PLACES.items():
        count = regions.get(region, 0)
        if count:
            axes.text(*place, f"{100 * count / total:.0f}%", ha="center", va="center", fontsize=8.5)
    none = 100 * regions.get((False, False, False), 0) / total if total else 0.0
    axes.text(0, -1.72, f"NONE {none:.0f}%   n = {total}", ha="center", va="center", fontsize=8.5)
    axes.set(xlim=(-1.95, 1.95), ylim=(-1.95, 2.0), aspect="equal")
    axes.set_title(title, fontsize=9)


def _plot_description(cells: Mapping[Cell, Counter[Region]]) -> str:
    lines = []
    for (system, condition), regions in cells.items():
        total = regions.total()
        shares = [f"{_region_name(region)} {n / total:.0%}" for region, n in sorted(regions.items(), reverse=True)]
        lines.append(f"{_cell_title(system, condition) or 'all'} ({total} claims): {', '.join(shares) or 'no claims'}")
    return "Claims by the sources that support them. " + "; ".join(lines) + "."


def _region_name(region: Region) -> str:
    names = [name for name, supports in zip(("reference", "user", "context"), region, strict=True) if supports]
    return " and ".join(names) or "none"
