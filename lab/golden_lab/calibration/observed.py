"""Observations: the features of cases, as the judges see them."""

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import intrinsics.answerability
import tools.evidence
import tools.reading
from evaluation.results import SplitUse
from golden_lab.calibration.command import Arguments
from golden_lab.calibration.fitting import Floats
from golden_lab.datasets import cases as case_making
from golden_lab.datasets.cases import Case, squad_cases
from intrinsics.answerability.features import answerability_features, stated_features
from tools.embedding.base import Embedder
from tools.evidence.features import passage_features, unit_scores
from tools.evidence.reading import EvidenceReader
from tools.reading import StatementScorer

SQUAD_ARTICLES, SQUAD_QUESTIONS_EACH = 50, 24
SQUAD_FITS = SplitUse(file="squad2/train_v1.1_paragraphs.jsonl.gz", part="fit")
SQUAD = "SQuAD 1.1 train (CC BY-SA 4.0): 50 articles, up to 24 questions each, retrieved over these articles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A case with its features: ``set_row`` of all passages for answerability, ``passage_rows`` of each; nearest."""

    case: Case
    set_row: Floats
    passage_rows: Floats
    nearest_unit: str


async def observe(cases: Sequence[Case], embedder: Embedder) -> list[Observation]:
    """Take the features of ``cases``; those whose passages hold no text are left out."""
    reader, scorer = EvidenceReader(embedder), StatementScorer(embedder=embedder)
    found = []
    for case in cases:
        evidence = await reader.read(case.question, case.passages)
        if evidence.units:
            nearest = evidence.units[int(np.argmax(unit_scores(evidence)))]
            found.append(
                Observation(
                    case=case,
                    set_row=answerability_features(
                        evidence, await stated_features(scorer, case.question, (), case.passages)
                    ),
                    passage_rows=passage_features(evidence),
                    nearest_unit=nearest.reading,
                )
            )
    return found


async def observe_squad(run: Arguments, embedder: Embedder) -> list[Observation]:
    """Observe the cases made from SQuAD train, the same for every calibration; kept in the scratch folder."""
    kept = run.scratch / f"squad-{run.seed}-{_code_digest()}.pickle"
    if kept.exists():
        # Written by this very function, into a folder that the caller named for it.
        return list(pickle.loads(kept.read_bytes()))
    cases = await squad_cases(
        run.data, embedder, articles=SQUAD_ARTICLES, questions_each=SQUAD_QUESTIONS_EACH, seed=run.seed
    )
    seen = await observe(cases, embedder)
    kept.write_bytes(pickle.dumps(seen))
    return seen


def _code_digest() -> str:
    """Return a digest of the code that makes cases and features: what it made before a change counts no more."""
    folders = [Path(package.__path__[0]) for package in (tools.evidence, tools.reading)]
    files = [file for folder in folders for file in sorted([*folder.glob("*.py"), *folder.glob("*.json")])]
    files += [Path(intrinsics.answerability.__path__[0]) / "features.py", Path(str(case_making.__file__))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
