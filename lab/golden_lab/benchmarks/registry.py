"""Every benchmark by name; their modules are loaded when they are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from evaluation.benchmark import Benchmark
from evaluation.report.gate import is_named
from evaluation.running.failures import one_line
from evaluation.running.revision import place_of

# In the order of the report: along the way of a question, then the answer, then whole systems and the judges of them.
MODULES = (
    "identification",
    "abbreviations",
    "disambiguation",
    "contexts",
    "mining",
    "ocr",
    "rewriting",
    "augmenting",
    "expansion",
    "retrieval",
    "summarised",
    "table_cells",
    "reranking",
    "relevance",
    "answerability",
    "attribution",
    "hallucination",
    "answers",
    "summaries",
    "refining",
    "written_questions",
    "certainty",
    "multiple_choice",
    "systems",
    "flows",
    "triples",
    "judging",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The benchmarks there are, and for each module that could not be loaded the reason."""

    benchmarks: tuple[Benchmark[Any], ...]
    not_loaded: Mapping[str, str]


def load_benchmarks(modules: Sequence[str] = MODULES, *, package: str = "golden_lab.benchmarks") -> Registered:
    """Load the benchmarks of ``modules``, each of which offers them as ``benchmarks()``.

    A module that cannot be loaded is named with the reason, and the others are there.

    Raises:
        InvalidInput: two benchmarks have the same name.
    """
    found: dict[str, Benchmark[Any]] = {}
    not_loaded = {}
    for name in modules:
        try:
            offered: tuple[Benchmark[Any], ...] = import_module(f"{package}.{name}").benchmarks()
        except Exception as error:
            # Not only ImportError: one broken module must not hide the benchmarks of all others.
            not_loaded[name] = one_line(error)
            continue
        for benchmark in offered:
            if benchmark.about.name in found:
                raise InvalidInput(f'two benchmarks have the name "{benchmark.about.name}", one of them in {name}')
            found[benchmark.about.name] = benchmark
    return Registered(benchmarks=tuple(found.values()), not_loaded=not_loaded)


def choose(benchmarks: Sequence[Benchmark[Any]], only: Sequence[str]) -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks that any of ``only`` names: a name, a name with ``*``, or an intrinsic; all for none.

    Raises:
        InvalidInput: one of ``only`` names no benchmark; the text says which come near.
    """
    for wanted in only:
        if not any(is_named(each.about, [wanted]) for each in benchmarks):
            names = [each.about.name for each in benchmarks]
            near = get_close_matches(wanted, names, n=3, cutoff=0.4) or names[:3]
            raise InvalidInput(
                f'no benchmark is called "{wanted}"; near: {", ".join(near)} (golden-lab list shows all)', field="only"
            )
    return tuple(each for each in benchmarks if is_named(each.about, only))


def has_its_data(benchmark: Benchmark[Any], data: Path) -> bool:
    """Say whether every file that ``benchmark`` uses is there, below ``data`` or with the project."""
    return all(place_of(data, use).exists() for use in benchmark.about.uses)
