"""``golden-lab train data``, ``conditions`` and ``examples``: training files made from the library."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from golden_lab.cli.progress import shown_progress

if TYPE_CHECKING:
    from tools.prompts import Prompt


def data(
    out: Annotated[Path, typer.Argument(help="The file to write or to continue, as JSON lines.", dir_okay=False)],
    document: Annotated[list[str] | None, typer.Option(help="Only this document (repeatable).")] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(help="Only documents of this group (repeatable). Default: everyone."),
    ] = None,
    count: Annotated[
        int, typer.Option(min=0, help="Maximum number of questions; 0: one for each suitable passage.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed for the order of the passages.")] = 20_260,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Minimum probability that the passage answers its question.")
    ] = 0.5,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Number of passages processed at the same time.")] = 4,
) -> None:
    """Have the language model write a factual question and its answer for each passage of the library; check both.

    Each question is stored immediately: after an interruption, the same command continues with the remaining passages.
    """
    from golden_lab.wiring.training_data import write_training_questions
    from golden_retriever.settings import load_settings

    with shown_progress() as show:
        made, passed_over = asyncio.run(
            write_training_questions(
                load_settings(),
                out,
                documents=document or (),
                groups=group or ("everyone",),
                count=count,
                seed=seed,
                threshold=threshold,
                at_once=at_once,
                on_passage=lambda made: show(f"{made:,} questions", made, count, False),
            )
        )
    typer.echo(f"{out}: {made} questions")
    for why, times in passed_over.items():
        typer.echo(f"  left out {times}: {why}", err=True)


_DATA = typer.Argument(
    help="Questions with passages, as golden-lab train data writes them.", exists=True, dir_okay=False
)


def conditions(
    data: Annotated[
        Path,
        typer.Argument(
            help="Questions with passages from golden-lab train data, or lines with query, reference, context.",
            exists=True,
            dir_okay=False,
        ),
    ],
    out: Annotated[Path, typer.Argument(help="The folder to write to.", file_okay=False)],
    variant: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this variant: without-context, with-relevant, pa-rag, raft, with-all (repeatable). Default: all."
        ),
    ] = None,
    test: Annotated[
        int, typer.Option(min=0, help="Number of questions to hold out, by whole documents; 0: a tenth.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed for the held-out questions and the added passages.")] = 20_260,
    tokenizer: Annotated[
        Path | None,
        typer.Option(help="The tokenizer.json for counting tokens. Default: the embedding model's.", exists=True),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(help="A prompt file with {context} and {question}. Default: the recipe's.")
    ] = None,
) -> None:
    """Combine questions with controlled retrieval: a training file for each variant, and one test set.

    Each held-out question is in the test set four times: with no context, its own context, irrelevant context, and a
    mixture. Training rows whose text is in the test set are left out.
    """
    from golden_lab.training.data.condition_folder import write_condition_folder
    from golden_lab.training.data.conditions import VARIANTS, read_triplets, token_spans
    from tools.embedding.weights import find_default_model

    written = write_condition_folder(
        read_triplets(data),
        out,
        _prompt(prompt, "rag-lora-7b"),
        token_spans(tokenizer or find_default_model()),
        variants=tuple(dict.fromkeys(variant or VARIANTS)),
        test=test,
        seed=seed,
    )
    typer.echo(f"{out}: {written.train_triplets} questions to train on, {written.test_triplets} held out")
    if written.left_out:
        typer.echo(f"  left out of training, because their text is in the test set: {written.left_out}")
    for condition, tokens in written.tokens.items():
        typer.echo(f"  {condition}: {tokens:.0f} tokens of context on average")
    for name in written.files:
        typer.echo(f"  {out / name}")


def examples(
    data: Annotated[Path, _DATA],
    out: Annotated[Path, typer.Argument(help="The training file to write.", dir_okay=False)],
    prompt: Annotated[
        Path | None, typer.Option(help="A prompt file with {passage} and {question}. Default: the recipe's.")
    ] = None,
) -> None:
    """Make a training file of passages, each with a question to be answered from that passage alone."""
    from golden_lab.training.data.examples import TrainingExample, filled, write_examples
    from golden_lab.training.data.questions import read_passage_questions

    chosen = _prompt(prompt, "pbqa-qlora-8b")
    rows = [
        TrainingExample(
            id=each.id,
            group=each.source.document,
            messages=filled(chosen, passage=each.passage, question=each.question),
            completion=each.answer,
            source=each.source.document,
        )
        for each in read_passage_questions(data)
    ]
    write_examples(out, rows)
    typer.echo(f"{out}: {len(rows)} examples")


def _prompt(path: Path | None, recipe: str) -> "Prompt":
    from golden_lab.training.recipes import Recipe
    from tools.prompts import load_prompt

    found = path or Recipe.find(recipe).prompt_path
    if found is None:
        raise ValueError(f"the recipe {recipe} has no prompt file")
    return load_prompt(found)
