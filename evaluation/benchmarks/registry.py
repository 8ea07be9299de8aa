"""Every benchmark by name; their modules are loaded when they are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any

import structlog

from contracts.errors import InvalidInput
from evaluation.benchmarks.base import Benchmark

# In the order of the report: along the way of a question, then the answer, then whole systems and the judges of them.
MODULES = (
    "identification",
    "abbreviations",
    "disambiguation",
    "contexts",
    "mining",
    "ocr",
    "rewriting",
    "retrieval",
    "relevance",
    "answerability",
    "attribution",
    "hallucination",
    "certainty",
    "multiple_choice",
    "systems",
    "flows",
    "triples",
    "judging",
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The benchmarks there are, and for each module that could not be loaded the reason."""

    benchmarks: tuple[Benchmark[Any], ...]
    not_loaded: Mapping[str, str]


def load_benchmarks(modules: Sequence[str] = MODULES, *, package: str = "evaluation.benchmarks") -> Registered:
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
            _log.error("benchmarks not loaded", module=name, exc_info=True)
            not_loaded[name] = f"{type(error).__name__}: {error}"
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
    chosen = set()
    for wanted in only:
        fitting = {each.about.name for each in benchmarks if _fits(each, wanted)}
        if not fitting:
            names = [each.about.name for each in benchmarks]
            near = get_close_matches(wanted, names, n=3, cutoff=0.4) or names[:3]
            raise InvalidInput(
                f'no benchmark is called "{wanted}"; near: {", ".join(near)} (golden eval list shows all)', field="only"
            )
        chosen |= fitting
    return tuple(each for each in benchmarks if not only or each.about.name in chosen)


def has_its_data(benchmark: Benchmark[Any], data: Path) -> bool:
    """Say whether every file that ``benchmark`` uses lies below ``data``."""
    return all((data / use.file).exists() for use in benchmark.about.uses)


def _fits(benchmark: Benchmark[Any], wanted: str) -> bool:
    return fnmatchcase(benchmark.about.name, wanted) or benchmark.about.intrinsic == wanted
