"""What an export takes from the other parts: the prompt of an intrinsic, the scores of an evaluation."""

from pathlib import Path

import intrinsics
from contracts.errors import InvalidInput
from evaluation.report.files import from_json
from golden_lab.training.export import MeasuredScore, TrainedPrompt
from golden_lab.wiring.training_prompts import adapter_to_train
from golden_retriever.profiles import ENGINES
from golden_retriever.settings import Settings


def trained_prompt(
    settings: Settings, intrinsic: str, file: Path | None = None, *, messages: bool = False
) -> TrainedPrompt:
    """Return the prompt that an adapter for ``intrinsic`` was trained on, as ``golden-lab train intrinsic`` chooses it.

    Raises:
        InvalidInput: nothing called ``intrinsic`` runs on adapters, or both a file and messages are asked for.
        ConfigurationError: a file is no adapter's.
    """

    able = sorted(name for name, choice in ENGINES.items() if "adapter" in choice.engines)
    if intrinsic not in able:
        raise InvalidInput(f"{intrinsic!r} runs on no adapter: name one of {', '.join(able)}", field="intrinsic")
    own = Path(next(iter(intrinsics.__path__))) / intrinsic / "llm.toml"
    adapter = adapter_to_train(settings, intrinsic, file, messages=messages)
    return TrainedPrompt(intrinsic=intrinsic, adapter=adapter, file=own if own.is_file() else None)


def reported_scores(path: Path, intrinsic: str = "") -> tuple[MeasuredScore, ...]:
    """Return the scores of a report of ``golden eval``: those of ``intrinsic``, or all ("").

    Raises:
        InvalidInput: it is not there, no report, or has no score of the intrinsic.
    """

    if not path.is_file():
        raise InvalidInput(f"{path} is not there: give the JSON report of an evaluation", field="scores")
    report = from_json(path.read_text("utf-8"), str(path))
    found = tuple(
        MeasuredScore(
            benchmark=outcome.about.title,
            metric=" ".join(each for each in (score.metric, score.system, score.subset) if each),
            value=score.value,
            low=score.low,
            high=score.high,
            cases=score.n,
            revision=report.revision,
            model=report.model,
        )
        for outcome in report.benchmarks
        if intrinsic in ("", outcome.about.intrinsic)
        for score in outcome.scores
    )
    if not found:
        what = f"of {intrinsic}" if intrinsic else "at all"
        raise InvalidInput(f"{path} holds no score {what}: measure it first", field="scores")
    return found
