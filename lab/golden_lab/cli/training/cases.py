"""``golden-lab train cases`` and ``intrinsic``: labelled cases of judgements, and training examples from them."""

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.training.data.examples import TrainingExample

_SHOWN = 10


def cases(
    name: Annotated[str, typer.Argument(help="The intrinsic, such as answerability.")],
    out: Annotated[Path, typer.Argument(help="The file of cases to write, as JSON lines.")],
    passages: Annotated[
        Path | None, typer.Option(help="Make cases from passages with questions, as golden-lab train data writes them.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Make cases from the public data sets in this folder.", file_okay=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Public sets: seed for the sample.")] = 0,
    articles: Annotated[
        int, typer.Option(min=1, help="Public sets: number of articles to use, of the 442 of SQuAD 1.1 train.")
    ] = 60,
) -> None:
    """Make labelled cases from your passages with questions, or from public sets. Next: golden-lab train intrinsic."""
    from contracts.errors import InvalidInput
    from golden_lab.json_lines import write_json_lines
    from golden_lab.training.judgements.forms import form_of
    from golden_lab.wiring.training_cases import cases_of_passages, cases_of_sets
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.indexes import build_embedder

    form_of(name)
    settings = load_settings()
    if passages is not None and data is None:
        found = asyncio.run(cases_of_passages(settings, name, passages))
    elif data is not None and passages is None:
        found = asyncio.run(cases_of_sets(name, data, build_embedder(settings), seed=seed, articles=articles))
    else:
        raise InvalidInput("name a source: either --passages FILE or --data FOLDER", field="data")
    if not found:
        raise InvalidInput(f"the source contains nothing to make cases of {name} from", field="name")
    digest = write_json_lines(out, (each.model_dump(mode="json", exclude_defaults=True) for each in found))
    groups = len({each.group or each.id for each in found})
    typer.echo(f"{out}: {len(found)} cases of {groups} groups, SHA-256 {digest}")
    for source, count in sorted(Counter(each.source for each in found).items()):
        typer.echo(f"  {count} of {source}", err=True)


def intrinsic(
    name: Annotated[str, typer.Argument(help="The intrinsic, such as answerability.")],
    cases: Annotated[Path, typer.Argument(help="Its labelled cases, as JSON lines.")],
    out: Annotated[Path, typer.Argument(help="The training file to write, as JSON lines.")],
    adapter: Annotated[
        Path | None, typer.Option(help="Use the prompt of this adapter file. Default: the configured one.")
    ] = None,
    messages: Annotated[
        bool, typer.Option(help="Use the prompt for language models, even if an adapter is published.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed for the dates in frozen prompts.")] = 0,
) -> None:
    """Make training examples from labelled cases, with exactly the prompts that the bot sends.

    The judgement itself is run on each case, with the correct reply instead of one from the language model. A case
    whose reply is not parsed as its verdict is left out, and its line is reported.
    """
    from contracts.errors import InvalidInput
    from golden_lab.training.data.examples import write_examples

    made, refused = asyncio.run(_make(name, cases, adapter, messages=messages, seed=seed))
    for each in refused[:_SHOWN]:
        typer.echo(f"left out: {each}", err=True)
    if not made:
        raise InvalidInput(f"{cases} contains no case of {name} to train on", field="cases")
    digest = write_examples(out, made)
    typer.echo(f"{out}: {len(made)} examples, SHA-256 {digest}")
    if refused:
        typer.echo(f"{len(refused)} of {len(made) + len(refused)} cases left out", err=True)


async def _make(
    name: str, path: Path, file: Path | None, *, messages: bool, seed: int
) -> "tuple[list[TrainingExample], list[str]]":
    from contracts.errors import InvalidInput
    from golden_lab.training.judgements.examples import make_example, read_cases
    from golden_lab.training.judgements.forms import form_of
    from golden_lab.wiring.training_prompts import adapter_to_train, online_judgement
    from golden_retriever.settings import load_settings

    settings, form = load_settings(), form_of(name)
    adapter = adapter_to_train(settings, name, file, messages=messages)
    online_of = partial(online_judgement, settings, name)
    made, refused = [], []
    for line, case in await asyncio.to_thread(lambda: list(read_cases(path, name))):
        try:
            made.append(await make_example(form, case, online_of, adapter, seed=seed))
        except InvalidInput as error:
            refused.append(f"{path}, line {line}: {error}")
    return made, refused
