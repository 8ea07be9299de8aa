"""Compares Golden Retriever with other libraries on the same files, questions and embedding weights, taking turns."""

import ast
import json
import os
import random
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import InvalidInput, Unavailable
from golden_lab.manuals.questions import ManualQuestion, read_questions
from golden_lab.speed.common import conditions
from golden_lab.speed.scale_library import documents_without_end, read_libraries
from golden_lab.tables import markdown_table
from golden_retriever.settings import load_settings
from golden_retriever.wiring.indexes import build_embedder
from library.store import SEARCHED_KINDS
from tools.embedding.base import Matrix
from tools.embedding.weights import find_default_model

_OURS = "golden_retriever"
# The library used by each module use_... in ``libraries``.
NAMES = {
    _OURS: "Golden Retriever", "langchain": "LangChain with Chroma", "llama_index": "LlamaIndex",
    "haystack": "Haystack", "txtai": "txtai", "haiku_rag": "haiku.rag",
}  # fmt: skip
_ROWS = {
    "files_per_s": ("Files per second", ".2f"), "passages_per_s": ("Passages per second", ".1f"),
    "passages": ("Passages", ",.0f"), "found_characters": ("Characters per passage found", ",.0f"),
    "peak_mb": ("Peak memory, MB", ",.0f"), "disk_mb": ("Index on disk, MB", ",.1f"),
    "first_s": ("Start of the process to first result, s", ".1f"),
    "recall_1": ("Recall@1", ".2f"), "recall_5": ("Recall@5", ".2f"),
    "median_ms": ("Search, median, ms", ".0f"), "p95_ms": ("Search, 95th percentile, ms", ".0f"),
    "lines": ("Lines that a user writes", ".0f"),
}  # fmt: skip
_LIBRARIES = Path(__file__).parent / "libraries"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "HAYSTACK_TELEMETRY_ENABLED": "False"}
_LOOK_AT_MEMORY_S, _TIMEOUT_S = 0.2, 1_800.0


def measure_peers(
    corpus: str,
    folder: Path,
    *,
    libraries: Sequence[str],
    environments: Path,
    work: Path,
    files: int,
    passages: int,
    rounds: int,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Measure ``libraries`` on ``files`` files of the corpus in ``folder`` and on its development questions.

    The libraries take turns reading the files in ``rounds`` parts, so that other work on the machine affects them all
    equally; each library is started ``rounds`` times. Every other library runs in its own virtual environment in
    ``environments``; one that fails is left out, with the reason. This project is always measured. Search is timed on
    ``passages`` of its passages, or altered copies. ``work`` is an empty folder. The names of the values contain units.

    Raises:
        InvalidInput: ``folder`` does not contain the documents that the questions are about.
    """
    asked = [each for each in read_questions("development", [corpus]) if each.answerable and not each.history]
    paths = choose_files(folder, {each.document for each in asked}, files)
    compared = [_Compared(each, environments, work) for each in dict.fromkeys((_OURS, *libraries))]

    def take_turns(do: Callable[[_Compared], None]) -> None:
        for each in compared:
            try:
                if not each.missing:
                    do(each)
            except Unavailable as error:
                each.missing = str(error)

    take_turns(_Compared.start)
    for turn in range(rounds):
        part = [str(each) for each in paths[turn::rounds]]
        on_step(f"reading {len(part)} files")
        take_turns(lambda each: each.add(part))  # noqa: B023
    on_step(f"asking {len(asked)} questions")
    take_turns(lambda each: each.answer(asked))
    on_step(f"storing {passages:,} passages, and searching them")
    write_passages(work, passages)
    take_turns(lambda each: each.load(work))
    # Not the same questions as before, because this project caches vectors of questions and scores of passages.
    for question in read_questions("development"):
        if question.corpus != corpus:
            take_turns(lambda each: each.search(question.question))  # noqa: B023
    on_step("starting afresh")
    for _ in range(rounds):
        take_turns(lambda each: each.start_afresh(asked[0].question))
    results = {each.library: each.result(len(paths)) for each in compared}
    return conditions("peers", corpus=corpus, files=len(paths), questions=len(asked), copies=passages, rounds=rounds,
                      found=results)  # fmt: skip


def choose_files(folder: Path, told: set[str], count: int) -> list[Path]:
    """Return the files in ``folder`` listed in ``told``, then others up to ``count``, in a fixed order."""
    draw, every = random.Random(0), sorted(path for path in folder.iterdir() if path.is_file())
    if missing := told - {path.name for path in every}:
        raise InvalidInput(f"{folder} does not contain {', '.join(sorted(missing))}", field="folder")
    draw.shuffle(every)
    chosen = sorted(every, key=lambda path: path.name not in told)[: max(count, len(told))]
    draw.shuffle(chosen)
    return chosen


def write_passages(work: Path, count: int) -> None:
    """Write ``count`` passages of this project's library, or altered copies, and their vectors to ``work``."""
    folder = work / _OURS / "index"
    originals = read_libraries([folder], build_embedder(load_settings(data_dir=folder)).name)
    texts: list[str] = []
    vectors: list[Matrix] = []
    for document in documents_without_end(originals, seed=0):
        searched = [chunk for chunk in document.chunks if chunk.kind in SEARCHED_KINDS]
        passages = [chunk.kind == "passage" for chunk in searched]
        texts += [chunk.text for chunk in searched if chunk.kind == "passage"]
        vectors.append(document.vectors[passages])
        if len(texts) >= count:
            break
    (work / "texts.json").write_text(json.dumps(texts[:count]), encoding="utf-8")
    np.save(work / "vectors.npy", np.concatenate(vectors)[:count])


def user_lines(library: str) -> int:
    """Count the lines of code that a user writes for the library."""
    source = (_LIBRARIES / f"use_{library}.py").read_text("utf-8")
    kept = {number for number, line in enumerate(source.splitlines(), 1) if line.strip()}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.Expr):
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if docstring or getattr(node, "name", "") in ("load", "passages"):
                kept -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(kept)


def render_peers(result: dict[str, Any]) -> str:
    """Return a Markdown table with a column for each library, and the reasons why other libraries are left out."""
    found = result["found"].values()
    shown = [of for of in found if "missing" not in of]
    rows = [[name, *(format(of[key], form) for of in shown)] for key, (name, form) in _ROWS.items()]
    missing = [f"{of['name']} is left out: {of['missing']}" for of in found if "missing" in of]
    return "\n".join([*markdown_table(["", *(of["name"] for of in shown)], rows), *missing])


class _Compared:
    """A library running in its own process, with its measurements; ``missing`` is the reason if it is left out."""

    def __init__(self, library: str, environments: Path, work: Path) -> None:
        self.library, self._folder = library, work / library
        self._folder.mkdir(parents=True)
        self._python = Path(sys.executable) if library == _OURS else environments / library / "bin" / "python"
        self.missing = "" if self._python.exists() else f"there is no {self._python}"
        self._found: dict[str, Any] = {"name": NAMES[library], "lines": user_lines(library)}
        self._peak_mb = self._reading_s = 0.0
        self._starts_s: list[float] = []
        self._searches_s: list[float] = []

    def start(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GOLDEN_", "PYTHON"))}
        if self.library == _OURS:
            kept["PYTHONPATH"] = os.pathsep.join(each for each in sys.path if each)
        with open(self._folder / "log", "a") as log:
            self._process = subprocess.Popen(
                [self._python, _LIBRARIES / "serve.py", f"use_{self.library}"], env={**kept, **_OFFLINE},
                cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
            )  # fmt: skip
        self._open("index")

    def add(self, files: Sequence[str]) -> None:
        self._reading_s += self._ask("add", files=files)[1]

    def answer(self, questions: Sequence[ManualQuestion]) -> None:
        hits = [self._ask("search", question=each.question, count=5)[0] for each in questions]
        right = [[asked.is_told_in(*hit) for hit in of] for asked, of in zip(questions, hits, strict=True)]
        count = self._ask("passages")[0]
        self._ask("close")
        disk = sum(each.stat().st_size for each in (self._folder / "index").rglob("*") if each.is_file())
        self._found |= {
            "recall_1": statistics.mean(any(of[:1]) for of in right), "recall_5": statistics.mean(map(any, right)),
            "found_characters": statistics.mean(len(text) for of in hits for _, text in of), "passages": count,
            "passages_per_s": count / self._reading_s, "peak_mb": self._peak_mb, "disk_mb": disk / 1e6,
        }  # fmt: skip

    def start_afresh(self, question: str) -> None:
        self._end()
        begun = time.perf_counter()
        self.start()
        self._ask("search", question=question, count=5)
        self._starts_s.append(time.perf_counter() - begun)

    def load(self, work: Path) -> None:
        self._open("copies")
        self._ask("load", texts=str(work / "texts.json"), vectors=str(work / "vectors.npy"))
        self._ask("search", question="What is searched first?", count=5)

    def search(self, question: str) -> None:
        self._searches_s.append(self._ask("search", question=question, count=5)[1])

    def result(self, files: int) -> dict[str, Any]:
        if self.missing:
            return {"name": self._found["name"], "missing": self.missing}
        self._end()
        median, p95 = np.quantile(self._searches_s, (0.5, 0.95)) * 1_000
        first_s = statistics.median(self._starts_s)
        pins = [] if self.library == _OURS else (_LIBRARIES / f"{self.library}.txt").read_text("utf-8").split()
        return {**self._found, "files_per_s": files / self._reading_s, "first_s": first_s, "median_ms": float(median),
                "p95_ms": float(p95), "versions": pins}  # fmt: skip

    def _open(self, index: str) -> None:
        (self._folder / index).mkdir(exist_ok=True)
        self._ask("open", folder=str(self._folder / index), model=str(find_default_model()))

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, do: str, **fields: Any) -> tuple[Any, float]:
        """Call the library's method ``do``; return its result and the seconds it took."""
        requests, replies = self._process.stdin, self._process.stdout
        assert requests is not None
        assert replies is not None
        requests.write(f"{json.dumps({'do': do, **fields})}\n")
        end = time.monotonic() + _TIMEOUT_S
        while not select.select([replies], [], [], _LOOK_AT_MEMORY_S)[0]:
            self._peak_mb = max(self._peak_mb, _memory_mb(self._process.pid))
            if time.monotonic() > end:
                raise Unavailable(f"{do} took longer than {_TIMEOUT_S:.0f} s")
        reply = json.loads(replies.readline() or '{"error": "its process ended"}')
        if "error" in reply:
            raise Unavailable(f"{do} failed: {reply['error']}")
        return reply["result"], reply["seconds"]


def _memory_mb(pid: int) -> float:
    """Return the memory of a process and its children in MB (1,000,000 bytes), with shared pages divided equally."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return 0.0
    own = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return own * 1024 / 1e6 + sum(_memory_mb(int(each)) for each in children)
