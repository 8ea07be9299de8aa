"""Fit how the embedded engine and a trained encoder are joined: ``python -m golden_lab.calibration.encoder --weights``.

It reads only what neither trains the encoder nor is scored: the calibration part of each set (``golden_lab.splits``).
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.results import SplitUse
from golden_lab.calibration.answerability import ANSWERABLE_SHARE, best_gate
from golden_lab.calibration.command import Arguments, open_embedder, report
from golden_lab.calibration.encoder_cases import Observed, Parts, observe_cases
from golden_lab.calibration.fitting import Floats, binary_figures, fit_logistic, model_values, shifted
from golden_lab.datasets.forms import sdu21_texts
from intrinsics.answerability.encoded import HEAD as ANSWERABILITY
from intrinsics.context_relevance.encoded import HEAD as RELEVANCE
from intrinsics.faithfulness.encoded import HEAD as FAITHFULNESS
from intrinsics.jargon_identification.encoded import UNMARKED, open_tokens, tag_logit
from intrinsics.jargon_identification.tokens import read_tokens
from intrinsics.jargon_identification.unknown import UnknownTerms
from tools.embedding.weights import find_default_model
from tools.encoder import PairEncoder
from tools.encoder.joining import CALIBRATION_FILE, FEATURES, clipped_logit, held
from tools.encoder.onnx import OnnxPairEncoder
from tools.evidence.model import FittedModel

_HEADS = {"context_relevance": RELEVANCE, "answerability": ANSWERABILITY, "faithfulness": FAITHFULNESS}
# Both sides mean "more"; neither may speak against.
_SIGNS = dict.fromkeys(FEATURES, 1)
# What the weights themselves have seen lies in the same halves.
FITS = (
    SplitUse(file="squad2/train_v1.1_paragraphs.jsonl.gz"),
    SplitUse(file="squad2/dev_v2.0_half.jsonl.gz", part="fit"),
    SplitUse(file="mtrag/tasks.jsonl.gz", part="fit"),
    SplitUse(file="awsdocs/qa.jsonl", part="fit"),
    SplitUse(file="awsdocs/glossary.jsonl", part="fit"),
    SplitUse(file="cncf_glossary/glossary.jsonl", part="fit"),
    SplitUse(file="wice/oracle_chunks_claim_dev.jsonl.gz", part="fit"),
    *(SplitUse(file=f"begin/begin_dev_{source}.jsonl.gz", part="fit") for source in ("wow", "cmu", "tc")),
    SplitUse(file="expertqa/claims.jsonl.gz", part="fit"),
    SplitUse(file="sdu21_ai/dev.jsonl.gz", part="fit"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows as in ``FEATURES``, their truths, and how much each counts."""

    rows: Floats
    truth: Floats
    weights: Floats


async def tables_of(parts: Parts, head: str, encoder: PairEncoder) -> dict[str, Table]:
    """Hold what was observed against the encoder, source by source."""
    return {name: await _table(observed, head, encoder) for name, observed in parts.items() if observed}


async def _table(observed: Sequence[Observed], head: str, encoder: PairEncoder) -> Table:
    scores = (await encoder.score([pair for each in observed for pair in each.pairs]))[:, encoder.heads.index(head)]
    starts = np.cumsum([0, *(len(each.pairs) for each in observed[:-1])])
    best = np.maximum.reduceat(scores, starts).tolist()
    return Table(
        rows=np.array([[clipped_logit(one.embedded), held(logit)] for one, logit in zip(observed, best, strict=True)]),
        truth=np.array([each.truth for each in observed], dtype=np.float64),
        weights=np.array([each.weight for each in observed], dtype=np.float64),
    )


async def jargon_table(data: Path, encoder: PairEncoder) -> Table:
    """Observe the words that no dictionary knows: whether an annotated short form lies there."""
    rows, truth = [], []
    for case in sdu21_texts(data, "calibration"):
        tokens = read_tokens(case.text)
        unknown = UnknownTerms(case.text, tokens, {}).judge()
        (tags,) = await encoder.tag([case.text])
        for at in open_tokens(tokens, ()):
            span = tokens[at].span
            logit = tag_logit(tags, span)
            if logit is not None:
                rows.append([clipped_logit(unknown.get(at, UNMARKED)), held(logit)])
                truth.append(float(any(short.start < span.end and span.start < short.end for short in case.shorts)))
    return Table(rows=np.array(rows), truth=np.array(truth), weights=np.ones(len(rows)))


def together(tables: Sequence[Table], *, even_truths: bool = False) -> Table:
    """Put tables together, so that each counts alike in sum, and with ``even_truths`` each truth in it too."""
    weights = []
    for each in tables:
        weight = each.weights.copy()
        for truth in (0.0, 1.0) if even_truths else ():
            here = each.truth == truth
            weight[here] /= max(float(weight[here].sum()), 1e-9)
        weights.append(weight / weight.sum())
    return Table(
        rows=np.concatenate([each.rows for each in tables]),
        truth=np.concatenate([each.truth for each in tables]),
        weights=np.concatenate(weights),
    )


def fit(observed: Table) -> FittedModel:
    """Fit both coefficients."""
    weights = observed.weights
    return fit_logistic(observed.rows, observed.truth, FEATURES, weights=weights, penalty=1.0, signs=_SIGNS)


async def calibrate(run: Arguments, weights: Path) -> dict[str, Any]:
    """Fit all four judgements and write the calibration beside the weights."""
    embedder = open_embedder(run)
    encoder = OnnxPairEncoder(weights, find_default_model() / "tokenizer.json")
    observed = await observe_cases(run, embedder)
    tables = {name: await tables_of(observed[name], head, encoder) for name, head in _HEADS.items()}
    joined = {
        "context_relevance": together(list(tables["context_relevance"].values()), even_truths=True),
        "answerability": together([tables["answerability"][name] for name in ("squad", "mtrag")]),
        "faithfulness": together(list(tables["faithfulness"].values())),
        "jargon_identification": await jargon_table(run.data, encoder),
    }
    models = {name: fit(each) for name, each in joined.items()}
    gates = [tables["answerability"][name] for name in ("squad", "manuals")]
    on_gates = [(models["answerability"].logits(each.rows), each.truth) for each in gates]
    models["answerability"] = shifted(models["answerability"], -best_gate(on_gates, ANSWERABLE_SHARE))
    figures: dict[str, Any] = {
        name: {part: _figures(each, models[name]) for part, each in of_name.items()} for name, of_name in tables.items()
    }
    name = "jargon_identification"
    figures[name] = _figures(joined[name], models[name])
    write(weights, encoder.name, run, models, figures)
    return figures


def _figures(observed: Table, model: FittedModel) -> dict[str, Any]:
    alone = (1 / (1 + np.exp(-observed.rows[:, column])) for column in (0, 1))
    return {
        **{name: binary_figures(each, observed.truth) for name, each in zip(FEATURES, alone, strict=True)},
        "joined_fitted_here": binary_figures(model.probabilities(observed.rows), observed.truth),
    }


def write(
    folder: Path, encoder: str, run: Arguments, models: Mapping[str, FittedModel], figures: Mapping[str, Any]
) -> None:
    """Write the calibration; no judgement is ``better`` until it was measured, and a person writes it there."""
    document = {
        "command": "python -m golden_lab.calibration.encoder",
        "encoder": encoder,
        "embedder": run.embedder_name,
        "better": [],
        "fits": [asdict(use) for use in FITS],
        "fitted_on": "the calibration part of each set; the operating point of answerability on AWS documentation too",
        "seed": run.seed,
        "figures": figures,
        "date": datetime.now(UTC).date().isoformat(),
        "models": {name: model_values(model) for name, model in models.items()},
    }
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    (folder / CALIBRATION_FILE).write_text(text, "utf-8")


def main() -> None:
    """Run the calibration from the command line."""
    parser = argparse.ArgumentParser(prog="python -m golden_lab.calibration.encoder", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the benchmark data, one folder a set")
    parser.add_argument("--scratch", type=Path, required=True, help="a folder for vectors, outside the repository")
    parser.add_argument("--weights", type=Path, required=True, help="the folder of the trained encoder")
    parser.add_argument("--seed", type=int, default=7)
    read = parser.parse_args()
    read.scratch.mkdir(parents=True, exist_ok=True)
    report(asyncio.run(calibrate(Arguments(data=read.data, scratch=read.scratch, seed=read.seed), read.weights)))


if __name__ == "__main__":
    main()
