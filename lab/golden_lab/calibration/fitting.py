"""What every calibration shares: its command line, the cases it observes, logistic fits and their figures."""

import argparse
import hashlib
import json
import pickle
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import intrinsics.answerability
import tools.evidence
import tools.reading
from evaluation.results import SplitUse
from golden_lab.datasets import cases as case_making
from golden_lab.datasets.cases import Case, squad_cases
from golden_lab.metrics import classification
from golden_lab.splits import half
from golden_lab.vectors import StoredEmbedder
from intrinsics.answerability.embedded import answerability_features, stated_features
from tools.embedding.base import Embedder
from tools.evidence.features import passage_features, unit_scores
from tools.evidence.model import FittedModel
from tools.evidence.reading import EvidenceReader
from tools.reading import StatementScorer


@dataclass(slots=True, kw_only=True)
class Arguments:
    """What a calibration is run with. ``scratch`` keeps vectors between runs; ``out`` "" writes beside the judge."""

    data: Path
    scratch: Path
    out: str = ""
    seed: int = 7
    embedder_name: str = field(default="")

    def output(self, module: ModuleType) -> Path:
        """Return where the calibration file of the judge in ``module`` goes."""
        return Path(self.out) if self.out else Path(str(module.__file__)).with_name("calibration.json")


def arguments(name: str) -> Arguments:
    """Read the command line of calibration ``name``."""
    parser = argparse.ArgumentParser(prog=f"python -m golden_lab.calibration.{name}", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the benchmark data, one folder a set")
    parser.add_argument("--scratch", type=Path, required=True, help="a folder for vectors, outside the repository")
    parser.add_argument("--out", default="", help="where to write the coefficients (default: beside the judge)")
    parser.add_argument("--seed", type=int, default=7)
    read = parser.parse_args()
    read.scratch.mkdir(parents=True, exist_ok=True)
    return Arguments(data=read.data, scratch=read.scratch, out=read.out, seed=read.seed)


def open_embedder(run: Arguments) -> Embedder:
    """Open the default embedder with its vectors kept in the scratch folder."""
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    embedder = StoredEmbedder(OnnxEmbedder(find_default_model(), run.scratch), run.scratch / "vectors.db")
    run.embedder_name = embedder.name
    return embedder


def held_out_rows(set_name: str, groups: Sequence[str]) -> NDArray[np.bool_]:
    """Say which rows are not fitted on: those whose group lies in the half of data set ``set_name`` that is scored."""
    return np.array([half(set_name, group) == "score" for group in groups], dtype=np.bool_)


def kinds(names: Sequence[str], values: Sequence[bool]) -> dict[str, float]:
    """Return the share of true values of each kind, with its count in the name."""
    found: dict[str, list[bool]] = defaultdict(list)
    for name, value in zip(names, values, strict=True):
        found[name].append(value)
    return {f"{name} (n={len(each)})": round(sum(each) / len(each), 4) for name, each in sorted(found.items())}


def report(figures: dict[str, Any]) -> None:
    """Print the figures."""
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


Floats = NDArray[np.float64]


def fit_logistic(
    rows: Floats,
    truth: Floats,
    features: Sequence[str],
    *,
    weights: Floats | None = None,
    penalty: float = 1.0,
    signs: Mapping[str, int] | None = None,
    steps: int = 4_000,
) -> FittedModel:
    """Fit a logistic regression with an L2 penalty by projected gradient descent.

    ``signs`` holds a coefficient at or above 0 (1) or at or below 0 (-1): a feature that means "more evidence" cannot
    speak against an answer, whatever a chance of the sample would have it.
    """
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-6, scale, 1.0)
    standard = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    weight = np.ones(len(rows)) if weights is None else weights
    weight = weight / weight.mean()
    wanted = np.array([(signs or {}).get(name, 0) for name in features] + [0])
    rate = 4.0 / np.linalg.eigvalsh(standard.T @ (standard * weight[:, None]) / len(rows))[-1]
    theta, momentum = np.zeros(standard.shape[1]), np.zeros(standard.shape[1])
    ridge = np.append(np.full(len(features), penalty / len(rows)), 0.0)
    for step in range(steps):
        ahead = theta + step / (step + 3) * (theta - momentum)
        error = 1 / (1 + np.exp(-standard @ ahead)) - truth
        moved = ahead - rate * 0.9 * (standard.T @ (error * weight) / len(rows) + ridge * ahead)
        moved = np.where((wanted > 0) & (moved < 0) | (wanted < 0) & (moved > 0), 0.0, moved)
        momentum, theta = theta, moved
    return FittedModel(
        features=tuple(features),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        coefficients=tuple(theta[:-1].tolist()),
        intercept=float(theta[-1]),
    )


def shifted(model: FittedModel, shift: float, slope: float = 1.0) -> FittedModel:
    """Return ``model`` with its logit times ``slope`` plus ``shift``: the operating point moves, the order stays."""
    return FittedModel(
        features=model.features,
        mean=model.mean,
        scale=model.scale,
        coefficients=tuple(slope * each for each in model.coefficients),
        intercept=slope * model.intercept + shift,
    )


def auroc(scores: Floats, truth: Floats) -> float:
    """Return the area under the ROC curve: NaN where all cases are of one class."""
    true = truth > 0.5
    return classification.auroc(scores, true) if true.any() and not true.all() else float("nan")


def class_f1(predicted: Floats, truth: Floats, label: int) -> float:
    """Return the F1 of one class; 0 where it is never predicted right."""
    hits = float(((predicted == label) & (truth == label)).sum())
    total = float((predicted == label).sum() + (truth == label).sum())
    return 2 * hits / total if total else 0.0


def weighted_f1(predicted: Floats, truth: Floats) -> float:
    """Return the F1 of both classes weighted by their frequency."""
    share = float(truth.mean())
    return share * class_f1(predicted, truth, 1) + (1 - share) * class_f1(predicted, truth, 0)


def binary_figures(probabilities: Floats, truth: Floats, threshold: float = 0.5) -> dict[str, float]:
    """Return the usual figures of a yes-or-no judgement at ``threshold``."""
    predicted = (probabilities >= threshold).astype(np.float64)
    positives, negatives = truth > 0.5, truth <= 0.5
    found = {
        "n": float(len(truth)),
        "positive_share": float(truth.mean()),
        "auroc": auroc(probabilities, truth),
        "weighted_f1": weighted_f1(predicted, truth),
        "f1_positive": class_f1(predicted, truth, 1),
        "f1_negative": class_f1(predicted, truth, 0),
        "passed_of_positives": float(predicted[positives].mean()) if positives.any() else float("nan"),
        "refused_of_negatives": float(1 - predicted[negatives].mean()) if negatives.any() else float("nan"),
        "brier": float(((probabilities - truth) ** 2).mean()),
    }
    return {name: round(value, 4) for name, value in found.items()}


def write_calibration(path: Path, models: Mapping[str, FittedModel], about: Mapping[str, Any]) -> None:
    """Write ``models`` with ``about`` (source data set, split, n, seed, figures) and today's date to ``path``."""
    document = {
        **about,
        "date": datetime.now(UTC).date().isoformat(),
        "models": {name: model_values(model) for name, model in models.items()},
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def model_values(model: FittedModel) -> dict[str, Any]:
    """Return ``model`` as it is written to a calibration file."""
    return {
        "features": list(model.features),
        "mean": [round(each, 6) for each in model.mean],
        "scale": [round(each, 6) for each in model.scale],
        "coefficients": [round(each, 6) for each in model.coefficients],
        "intercept": round(model.intercept, 6),
    }


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
    files += [Path(intrinsics.answerability.__path__[0]) / "embedded.py", Path(str(case_making.__file__))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
