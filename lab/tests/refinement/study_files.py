"""Small files for tests, in the formats of ALCE and GaRAGe."""

import json
from pathlib import Path
from typing import Any

from lab.tests.benchmarks.annotated_sets import write_rows


def alce_row(number: int) -> dict[str, Any]:
    docs = [
        {
            "title": f"Guide {at}",
            "text": f"The K{number} pump number {at} runs at {10 * number + at} volts. "
            f"It is greased every {at + 2} weeks.",
        }
        for at in range(1, 4)
    ]
    return {
        "sample_id": f"a{number}",
        "question": f"At how many volts does the K{number} pump number 1 run?",
        "docs": docs,
        "qa_pairs": [{"short_answers": [f"{10 * number + 1} volts"]}],
    }


def garage_row(number: int, *, passages: int = 6) -> dict[str, Any]:
    texts = [
        f"The K{number} hoist lifts {100 * number + at} kg on line {at}."
        if at % 2
        else f"Bakers of town {at} knead dough for {at + 5} minutes."
        for at in range(passages)
    ]
    return {
        "sample_id": f"g{number}",
        "question": f"How much does the K{number} hoist lift on line 3?",
        "grounding": [[f"[cite_{at}] {text}", "2 days", "2024", "web"] for at, text in enumerate(texts, start=1)],
        "evidence_relevant": ["YES" if at % 2 else "NO" for at in range(passages)],
    }


def write_study_files(folder: Path, questions: int = 4) -> Path:
    """Write a file in the format of ALCE and one in the format of GaRAGe."""
    folder.mkdir(exist_ok=True)
    (folder / "alce.json").write_text(json.dumps([alce_row(number) for number in range(questions)]), encoding="utf-8")
    write_rows(folder / "garage.jsonl", map(garage_row, range(questions)))
    return folder
