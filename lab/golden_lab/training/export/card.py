"""The model card: what an adapter was made of, how, what it scores, and what it is not for."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from golden_lab.training.lora.result import TrainingResult
from golden_lab.training.recipes.form import Recipe, recipe_text


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredScore:
    """A score of an evaluation report: ``value`` of ``metric`` with its 95 % interval over ``cases`` cases."""

    benchmark: str
    metric: str
    value: float
    low: float
    high: float
    cases: int
    revision: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What a card tells. ``base`` is the base model's name, ``licence`` "" where nobody said it."""

    name: str
    version: str
    base: str
    licence: str
    intrinsic: str
    recipe: Recipe
    result: TrainingResult
    data_file: str
    code_revision: str
    scores: Sequence[MeasuredScore]
    rank: int
    merged: bool


def render_card(facts: CardFacts) -> str:
    """Return the card as Markdown, with the front matter that model hubs read."""
    sections = [
        _front_matter(facts),
        f"# {facts.name}\n\n{_purpose(facts)}",
        f"## What it is\n\n{_table(_being(facts))}",
        f"## Use\n\n{_use(facts)}",
        f"## Data\n\n{_table(_data(facts))}",
        f"## Training\n\n{_table(_training(facts))}\n\nThe whole recipe:\n\n"
        f"```toml\n{recipe_text(facts.recipe).rstrip()}\n```",
        f"## Scores\n\n{_scores(facts)}",
        f"## Intended use and limits\n\n{_limits(facts)}",
        f"## Versions\n\n{_table(facts.result.versions)}",
    ]
    return "\n\n".join(sections) + "\n"


def _front_matter(facts: CardFacts) -> str:
    lines = [
        f"base_model: {json.dumps(facts.base)}",
        f"base_model_relation: {'finetune' if facts.merged else 'adapter'}",
        f"library_name: {'transformers' if facts.merged else 'peft'}",
        "pipeline_tag: text-generation",
        f"license: {json.dumps(facts.licence or 'unknown')}",
        "tags:",
        "- lora",
        "- golden-retriever",
        *([f"- {facts.intrinsic.replace('_', '-')}"] if facts.intrinsic else []),
    ]
    return "\n".join(["---", *lines, "---"])


def _purpose(facts: CardFacts) -> str:
    what = "The base model with a LoRA adapter merged into it" if facts.merged else "A LoRA adapter"
    judged = f", for the judgement `{facts.intrinsic}` of Golden Retriever" if facts.intrinsic else ""
    return f"{what}{judged}. {facts.recipe.description}"


def _being(facts: CardFacts) -> Iterator[tuple[str, str]]:
    result = facts.result
    yield "Version", facts.version
    yield "Base model", f"`{facts.base}`"
    yield "Revision of the base model", result.revision or "not known"
    yield "Rank", f"{facts.rank}, alpha {facts.recipe.lora.alpha}"
    yield "Trainable parameters", f"{result.trainable_parameters:,} of {result.total_parameters:,}"
    yield "Licence", facts.licence or f"not known: that of `{facts.base}` and of the data hold"
    yield "Made by", f"golden-lab train, code revision {facts.code_revision}"


def _use(facts: CardFacts) -> str:
    if facts.merged:
        return f"```console\nvllm serve ./{facts.name}\n```"
    served = f"vllm serve {facts.base} --enable-lora --max-lora-rank {_rank_of_server(facts.rank)}"
    text = f"```console\n{served} --lora-modules {facts.name}=./{facts.name}\n```"
    if facts.intrinsic:
        text += (
            f"\n\n`golden vllm command` prints the same line with `GOLDEN_ENGINES={facts.intrinsic}=adapter`, and with "
            f"`{facts.intrinsic}.toml`, which was exported beside it, in the folder that `GOLDEN_ADAPTERS_DIR` names."
        )
    return text


def _data(facts: CardFacts) -> Iterator[tuple[str, str]]:
    result, data = facts.result, facts.recipe.data
    yield "Kind", " ".join(each for each in (data.kind, data.variant, data.intrinsic) if each)
    yield "File", f"`{facts.data_file}`" if facts.data_file else "none: examples from a program"
    yield "SHA-256", f"`{result.data_sha256}`"
    yield "Examples trained on", f"{result.examples:,}"
    yield "Examples held out for validation", f"{result.held_out:,}"
    yield "Examples left out as too long", f"{result.left_out:,}"
    yield "Tokens read, of which learned", f"{result.tokens_read:,}, {result.tokens_learned:,}"


def _training(facts: CardFacts) -> Iterator[tuple[str, str]]:
    result, training = facts.result, facts.recipe.training
    early = ", stopped early" if result.stopped_early else ""
    yield "Steps", f"{result.steps:,} ({result.epochs:g} epochs{early}); weights of step {result.best_step:,} kept"
    yield "Effective batch", f"{training.batch_size} × {training.accumulation}"
    yield "Training loss, first and last step", f"{result.training_loss_before:.4f}, {result.training_loss_after:.4f}"
    if result.validation_loss_before is None or result.validation_loss_after is None:
        yield "Validation loss", "none: nothing was held out"
    else:
        told = f"{result.validation_loss_before:.4f}, {result.validation_loss_after:.4f}"
        yield "Validation loss, before and of the kept weights", told
    yield "Base weights", "in 4 bits (nf4)" if facts.recipe.model.quantization == "nf4" else result.dtype
    yield "Took", f"{result.seconds:,.0f} s on {result.device}, {result.peak_memory_bytes / 2**30:.1f} GiB"
    yield "Source of the figures", facts.recipe.source


def _scores(facts: CardFacts) -> str:
    if not facts.scores:
        return "None were given: measure with `golden eval`, and export again with `--scores`."
    rows = ["| Benchmark | Metric | Score | 95 % interval | Cases | Model | Code |", "|---|---|---|---|---|---|---|"]
    rows += [
        f"| {_cell(each.benchmark)} | {_cell(each.metric)} | {each.value:.3f} | {each.low:.3f} to {each.high:.3f} | "
        f"{each.cases:,} | {_cell(each.model)} | {each.revision} |"
        for each in facts.scores
    ]
    return "\n".join(rows)


def _limits(facts: CardFacts) -> str:
    lines = []
    if facts.intrinsic:
        lines.append(
            f"- It judges one thing, `{facts.intrinsic}`, under the one prompt that it was trained on. Asked otherwise "
            "it says anything."
        )
    else:
        lines.append("- It answers from passages as the recipe's prompt gives them. Asked otherwise it may invent.")
    lines += [
        "- It knows the subjects and the wording of its data; on others it has to be measured before it is relied on.",
        "- What was held out is of the same data: the losses above say nothing of other documents.",
        "- Whatever stands in the data can come out of the weights: who may not read the data should not get these.",
    ]
    if facts.merged and facts.recipe.model.quantization == "nf4":
        lines.append(
            "- It was trained on the base model in 4 bits and merged into the exact weights: replies can differ from "
            "those of the adapter on the 4-bit model."
        )
    return "\n".join(lines)


def _rank_of_server(rank: int) -> int:
    return next(each for each in (8, 16, 32, 64, 128, 256, 320, 512) if each >= rank)


def _table(rows: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {_cell(value)} |" for name, value in rows)])


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def write_card(path: Path, facts: CardFacts) -> None:
    """Write the card."""
    path.write_text(render_card(facts), "utf-8")
