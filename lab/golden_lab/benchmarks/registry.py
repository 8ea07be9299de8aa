"""All benchmarks by name; their modules are imported on demand."""

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.benchmarks.base import Benchmark
from golden_lab.digests import place_of
from golden_lab.report.comparison import is_named

# In the order of the report: the steps of a question, then the answer, then whole systems and the judges that grade
# them.
MODULES = (
    "jargon_identification",
    "abbreviations",
    "disambiguation",
    "context_classification",
    "ocr",
    "question_rewriting",
    "question_augmentation",
    "query_expansion",
    "retrieval",
    "document_augmentation",
    "reranking",
    "context_relevance",
    "answerability",
    "citation",
    "faithfulness",
    "answer_generation",
    "refinement",
    "certainty",
    "multiple_choice",
    "systems",
    "flows",
    "triples",
    "answer_judges",
)


def load_benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return all benchmarks, in the order of the report; each of ``MODULES`` has a function ``benchmarks()``."""
    return tuple(
        benchmark for name in MODULES for benchmark in import_module(f"golden_lab.benchmarks.{name}").benchmarks()
    )


def choose(benchmarks: Sequence[Benchmark[Any]], only: Sequence[str]) -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks that match ``only`` (names, names with ``*``, or intrinsics); all of them if it is empty.

    Raises:
        InvalidInput: an entry of ``only`` matches no benchmark; the message lists similar names.
    """
    for wanted in only:
        if not any(is_named(each.about, [wanted]) for each in benchmarks):
            names = [each.about.name for each in benchmarks]
            near = get_close_matches(wanted, names, n=3, cutoff=0.4) or names[:3]
            raise InvalidInput(
                f'unknown benchmark "{wanted}"; similar: {", ".join(near)} (golden-lab list shows all)', field="only"
            )
    return tuple(each for each in benchmarks if is_named(each.about, only))


def has_its_data(benchmark: Benchmark[Any], data: Path) -> bool:
    """Return whether every file that ``benchmark`` uses exists, in ``data`` or in the project."""
    return all(place_of(data, use).exists() for use in benchmark.about.uses)
