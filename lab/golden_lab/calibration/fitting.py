"""The parts that calibrations share: the run, logistic fits and their metrics."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.intervals import Floats
from golden_lab.metrics import classification
from golden_lab.results import SplitUse
from golden_lab.splits import half
from golden_lab.vectors import StoredEmbedder
from tools.embedding.base import Embedder
from tools.evidence.model import FittedModel


@dataclass(frozen=True, kw_only=True)
class CalibrationRun:
    """One run of the calibration ``name``; ``scratch`` keeps the vectors of the embedder.

    ``out`` is the file to write; None means the file that the judgement reads.
    """

    name: str
    data: Path
    scratch: Path
    embedder: Embedder
    seed: int = 7
    out: Path | None = None

    def write(
        self,
        package: str,
        file: str,
        stored: Mapping[str, Any],
        *,
        fits: Sequence[SplitUse],
        fitted_on: str,
        n: int,
        figures: Mapping[str, Any],
        **notes: Any,
    ) -> Path:
        """Write the fitted values ``stored`` and their origin to ``file`` in ``package``; return its path."""
        document = {
            "command": f"golden-lab calibrate {self.name}",
            "fits": [asdict(use) for use in dict.fromkeys(fits)],
            "fitted_on": fitted_on,
            **notes,
            "n": n,
            "seed": self.seed,
            "embedder": self.embedder.name,
            "figures": figures,
            "date": datetime.now(UTC).date().isoformat(),
            **stored,
        }
        path = self.out or Path(str(resources.files(package).joinpath(file)))
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def open_run(name: str, data: Path, scratch: Path, *, seed: int = 7, out: Path | None = None) -> CalibrationRun:
    """Return a run with the default embedder, whose vectors are kept in the scratch folder."""
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    scratch.mkdir(parents=True, exist_ok=True)
    embedder = StoredEmbedder(OnnxEmbedder(find_default_model(), scratch), scratch / "vectors.db")
    return CalibrationRun(name=name, data=data, scratch=scratch, embedder=embedder, seed=seed, out=out)


def held_out_rows(set_name: str, groups: Sequence[str]) -> NDArray[np.bool_]:
    """Mark the rows to leave out of the fit: those with a group in the scored half of the data set ``set_name``."""
    return np.array([half(set_name, group) == "score" for group in groups], dtype=np.bool_)


def kinds(names: Sequence[str], values: Sequence[bool]) -> dict[str, float]:
    """Return the share of true values for each kind; the keys include the number of values."""
    found: dict[str, list[bool]] = defaultdict(list)
    for name, value in zip(names, values, strict=True):
        found[name].append(value)
    return {f"{name} (n={len(each)})": round(sum(each) / len(each), 4) for name, each in sorted(found.items())}


def fit_logistic(
    rows: Floats,
    truth: Floats,
    features: Sequence[str],
    *,
    weights: Floats | None = None,
    penalty: float = 1.0,
    signs: Mapping[str, int] | None = None,
) -> FittedModel:
    """Fit a logistic regression with an L2 penalty.

    ``signs`` constrains a coefficient (1: at least 0, -1: at most 0), because a feature that means "more evidence"
    must not count against an answer, even if the sample suggests it.
    """
    from scipy.optimize import minimize

    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-6, scale, 1.0)
    standard = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    weight = np.ones(len(rows)) if weights is None else weights / weights.mean()
    ridge = np.append(np.full(len(features), penalty / len(rows)), 0.0)

    def loss(theta: Floats) -> tuple[float, Floats]:
        logits = standard @ theta
        error = 1 / (1 + np.exp(-logits)) - truth
        value = float(np.mean(weight * (np.logaddexp(0.0, logits) - truth * logits)) + ridge @ theta**2 / 2)
        return value, standard.T @ (error * weight) / len(rows) + ridge * theta

    held = {0: (None, None), 1: (0.0, None), -1: (None, 0.0)}
    bounds = [*(held[(signs or {}).get(name, 0)] for name in features), held[0]]
    theta = minimize(loss, np.zeros(len(bounds)), jac=True, bounds=bounds, options={"ftol": 1e-12, "gtol": 1e-8}).x
    return FittedModel(
        features=tuple(features),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        coefficients=tuple(theta[:-1].tolist()),
        intercept=float(theta[-1]),
    )


Choices = Sequence[tuple[Floats, NDArray[np.bool_]]]


def fit_choices(
    sets: Sequence[Choices], *, penalty: Floats, lowest: Sequence[float | None], start: Floats
) -> tuple[Floats, float]:
    """Fit a conditional logit with an L2 ``penalty`` for each weight; return the weights and the loss.

    A choice has one row of features per option, and a mask of the correct options. All sets count equally. ``lowest``
    is the lower bound of each weight; None means no bound.

    Source: McFadden (1974), conditional logit analysis of qualitative choice behaviour.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    blocks = [_padded(choices) for choices in sets]

    def loss(theta: Floats) -> tuple[float, Floats]:
        total, slope = float(penalty @ theta**2), 2 * penalty * theta
        for rows, there, right in blocks:
            logits = np.where(there, rows @ theta, -np.inf)
            of_all, of_right = (logsumexp(np.where(kept, logits, -np.inf), axis=1) for kept in (there, right))
            total += float(np.mean(of_all - of_right)) / len(blocks)
            shares = np.exp(logits - of_all[:, None]) - np.where(right, np.exp(logits - of_right[:, None]), 0.0)
            slope = slope + np.einsum("ij,ijk->k", shares, rows) / len(rows) / len(blocks)
        return total, slope

    fitted = minimize(loss, start, jac=True, bounds=[(low, None) for low in lowest])
    return np.asarray(fitted.x), float(fitted.fun)


def _padded(choices: Choices) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the rows padded to equal length, a mask of the real options, and a mask of the correct ones."""
    rows = np.zeros((len(choices), max(len(each) for each, _ in choices), choices[0][0].shape[1]))
    there, right = (np.zeros(rows.shape[:2], dtype=np.bool_) for _ in range(2))
    for at, (features, is_right) in enumerate(choices):
        rows[at, : len(features)] = features
        there[at, : len(features)] = True
        right[at, : len(features)] = is_right
    return rows, there, right


def binary_figures(probabilities: Floats, truth: Floats, threshold: float = 0.5) -> dict[str, float]:
    """Return the usual metrics of a yes-or-no judgement at ``threshold``."""
    true, said = truth > 0.5, probabilities >= threshold
    scores = classification.classification_scores(
        true.astype(str).tolist(), said.astype(str).tolist(), ["True", "False"]
    )
    of_true, of_false = scores.classes
    both = true.any() and not true.all()
    found = {
        "n": float(len(truth)),
        "positive_share": float(truth.mean()),
        "auroc": classification.auroc(probabilities, true) if both else float("nan"),
        "weighted_f1": scores.weighted_f1,
        "f1_positive": of_true.f1,
        "f1_negative": of_false.f1,
        "passed_of_positives": of_true.recall if true.any() else float("nan"),
        "refused_of_negatives": of_false.recall if not true.all() else float("nan"),
        "brier": float(((probabilities - truth) ** 2).mean()),
    }
    return {name: round(value, 4) for name, value in found.items()}


def stored_models(models: Mapping[str, FittedModel]) -> dict[str, Any]:
    """Return ``models`` in the format of a calibration file."""
    return {
        "models": {
            name: {
                "features": list(model.features),
                "mean": [round(each, 6) for each in model.mean],
                "scale": [round(each, 6) for each in model.scale],
                "coefficients": [round(each, 6) for each in model.coefficients],
                "intercept": round(model.intercept, 6),
            }
            for name, model in models.items()
        }
    }


SQUAD_FITS = SplitUse(file="squad2/train_v1.1_paragraphs.jsonl.gz", part="fit")
