"""Small data sets in the formats of the public ones, written by the tests, and a function that runs a benchmark."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from golden_lab.benchmarks.base import Benchmark, CaseSet
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.splits import half


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write rows as JSON lines, gzipped if the name ends in .gz, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


async def measured(
    benchmark: Benchmark[Any], engine: Engine, run: Run, chosen: Sequence[Any] | None = None
) -> list[Outcome]:
    """Measure the ``chosen`` cases, or all that the benchmark loads."""
    cases = benchmark.load(run) if chosen is None else CaseSet(cases=tuple(chosen))
    async with benchmark.prepare(cases, engine, run) as measure:
        return [await measure(case) for case in cases.cases]


async def measure_all(
    benchmark: Benchmark[Any], engine: Engine, run: Run
) -> tuple[dict[str, Outcome], Sequence[Score]]:
    outcomes = await measured(benchmark, engine, run)
    return {each.id: each for each in outcomes}, benchmark.score(outcomes, 7)


def value(scores: Sequence[Score], metric: str, *, system: str = "", subset: str = "") -> float:
    (found,) = (each for each in scores if (each.metric, each.system, each.subset) == (metric, system, subset))
    return found.value


def judged(id_: str, truth: bool, said: bool, probability: float, **more: Any) -> Outcome:
    """Return the outcome of a case that forms its own group."""
    return Outcome(id=id_, values={"truth": truth, "said": said, "probability": probability, "group": id_, **more})


FACT = "The Danube is 2850 km long and flows into the Black Sea."
OTHER = "Bicycle bells must be loud enough to warn people on foot."


def groups_of(set_name: str, part: str, count: int) -> list[str]:
    """Return the names of ``count`` groups that are in the half ``part`` of the set."""
    return [name for number in range(200) if half(set_name, name := f"g{number}") == part][:count]


def write_squad2(data: Path, answerable: int = 2, impossible: int = 2) -> None:
    articles = groups_of("squad2", "score", 2)
    rows = [
        {
            "id": f"q{number}",
            "title": articles[number % 2],
            "para": number,
            "question": "How long is the Danube?" if number < answerable else "Who painted the Danube in 1890?",
            "context": FACT,
            "answers": ["2850 km", "2850"] if number < answerable else [],
            "is_impossible": number >= answerable,
        }
        for number in range(answerable + impossible)
    ]
    write_rows(data / "squad2" / "dev_v2.0_half.jsonl.gz", rows)


def write_mtrag(data: Path) -> None:
    scored, fitted = groups_of("mtrag", "score", 3), groups_of("mtrag", "fit", 1)
    kinds = {scored[0]: "ANSWERABLE", scored[1]: "UNANSWERABLE", scored[2]: "PARTIAL", fitted[0]: "ANSWERABLE"}
    rows: list[dict[str, Any]] = [
        {
            "task_id": f"{conversation}<::>1",
            "answerability": kind,
            "rewrite_query": "|user|: How long is the Danube?",
            "contexts": [
                {"title": "", "text": OTHER, "relevant": "no"},
                {"title": "", "text": FACT, "relevant": "yes"},
            ][: 1 if kind == "UNANSWERABLE" else 2],
        }
        for conversation, kind in kinds.items()
    ]
    rows.append({"task_id": "chat<::>1", "answerability": "CONVERSATIONAL", "contexts": []})
    write_rows(data / "mtrag" / "tasks.jsonl.gz", rows)


def write_wice(data: Path) -> None:
    scored, fitted = groups_of("wice", "score", 2), groups_of("wice", "fit", 1)
    lines = [f"Line {number} tells of tea, bread and jam." for number in range(12)]
    lines[11] = FACT
    rows: list[dict[str, Any]] = [
        {
            "meta": {"id": name, "claim_title": "Rivers"},
            "claim": FACT if label == "supported" else OTHER,
            "label": label,
            "evidence": lines,
            "supporting_sentences": [[11], [3, 11]] if label == "supported" else [[]],
        }
        for name, label in ((scored[0], "supported"), (scored[1], "not_supported"), (fitted[0], "supported"))
    ]
    write_rows(data / "wice" / "oracle_chunks_claim_dev.jsonl.gz", rows)
    write_rows(data / "wice" / "entailment_retrieval_claim_dev.jsonl.gz", rows)


def write_ragtruth(data: Path) -> None:
    invented = "It was dug by 47 giants in 1203."
    answer = f"{FACT} {invented}"
    start = answer.index(invented)
    common = {"question": "How long is the Danube?", "passages": f"passage 1:{FACT}\n\npassage 2:{OTHER}\n\n"}
    rows: list[dict[str, Any]] = [
        {"id": "true", "source_id": "s1", "quality": "good", "response": FACT, "labels": [], **common},
        {
            "id": "invented",
            "source_id": "s2",
            "quality": "good",
            "response": answer,
            "labels": [{"start": start, "end": len(answer)}],
            **common,
        },
        {"id": "cut", "source_id": "s3", "quality": "truncated", "response": "The", "labels": [], **common},
    ]
    write_rows(data / "ragtruth_qa" / "train.jsonl.gz", rows)


def write_expertqa(data: Path) -> None:
    def row(claim: str, support: str, evidence: list[str]) -> dict[str, Any]:
        return {"question": "How long is it?", "claim": claim, "support": support, "evidence": evidence}

    rows = [
        row(FACT, "Complete", [f"[1] https://rivers.example/danube\n\n{FACT}"]),
        row("The Danube has 12 ports for 90 ships.", "Incomplete", [f"https://rivers.example\n\n{FACT}", OTHER]),
        row(FACT, "Complete", ["[2] https://only.an/address"]),
        row(FACT, "Missing", []),
        row(FACT, "N/A", [f"[1] https://rivers.example\n\n{FACT}"]),
    ]
    write_rows(data / "expertqa" / "claims.jsonl.gz", rows)


def write_begin(data: Path) -> None:
    labels = {"wow": "Fully attributable", "cmu": "Generic", "tc": "Not fully attributable"}
    for source, label in labels.items():
        response = {"wow": FACT, "cmu": "Hello there!", "tc": "It has 12 ports and 90 bridges."}[source]
        row = {"knowledge": FACT, "message": "Tell me of it", "response": response, "begin_label": label}
        write_rows(data / "begin" / f"begin_dev_{source}.jsonl.gz", [row])
