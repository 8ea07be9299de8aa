"""``golden-lab train cases`` and ``intrinsic``: labelled cases of judgements, and examples of them."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.training.data.examples import TrainingExample
    from golden_lab.training.judgements.base import JudgementCase


def cases(
    name: Annotated[str, typer.Argument(help="The intrinsic, such as answerability.")],
    out: Annotated[Path, typer.Argument(help="The file of cases to write: JSON lines.")],
    passages: Annotated[
        Path | None, typer.Option(help="Make them of passages with questions: what golden-lab train data writes.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Make them of public sets below this folder.", file_okay=False)
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="Records: learn only from documents of this group (repeatable).")
    ] = None,
    all_groups: Annotated[bool, typer.Option(help="Records: learn from documents of all groups.")] = False,
    seed: Annotated[int, typer.Option(help="Public sets: draws what is taken.")] = 0,
) -> None:
    """Make labelled cases; without --passages or --data of the answers that were praised and of reviewers' cases.

    Where a source does not say what is right for an intrinsic, the command says why. Next: golden-lab train intrinsic.
    """
    from contracts.errors import InvalidInput
    from golden_lab.json_lines import write_json_lines
    from golden_lab.training.judgements.forms import form_of

    form_of(name)
    if passages is not None and data is not None:
        raise InvalidInput("name passages or data, not both: a file has one source", field="data")
    found = asyncio.run(_found(name, passages, data, group, all_groups=all_groups, seed=seed))
    if not found:
        raise InvalidInput(f"there is nothing yet to make cases of {name} of", field="name")
    digest = write_json_lines(out, (each.model_dump(mode="json", exclude_defaults=True) for each in found))
    groups = len({each.group or each.id for each in found})
    typer.echo(f"{out}: {len(found)} cases of {groups} groups, SHA-256 {digest}")
    for source, count in sorted(Counter(each.source for each in found).items()):
        typer.echo(f"  {count} of {source}", err=True)
    if data is not None:
        _warn_of_scored(name)


async def _found(
    name: str, passages: Path | None, data: Path | None, group: list[str] | None, *, all_groups: bool, seed: int
) -> "tuple[JudgementCase, ...]":
    from golden_lab.wiring.training_cases import cases_of_passages, cases_of_records
    from golden_lab.wiring.training_sets import cases_of_sets
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.indexes import build_embedder

    settings = load_settings()
    if data is not None:
        return await cases_of_sets(name, data, build_embedder(settings), seed=seed)
    if passages is not None:
        return await cases_of_passages(settings, name, passages)
    return await cases_of_records(settings, name, groups=frozenset(group) if group else None, all_groups=all_groups)


def _warn_of_scored(name: str) -> None:
    from golden_lab.wiring.training_sets import scored_whole

    for benchmark in scored_whole(name):
        typer.echo(
            f"{benchmark} scores all of a set of which these cases are one half: of an adapter that learnt from them, "
            "only its score on the other half counts",
            err=True,
        )


_SHOWN = 10


def intrinsic(
    name: Annotated[str, typer.Argument(help="The intrinsic, such as answerability.")],
    cases: Annotated[Path, typer.Argument(help="Its labelled cases: JSON lines.")],
    out: Annotated[Path, typer.Argument(help="The training file to write: JSON lines.")],
    adapter: Annotated[
        Path | None, typer.Option(help="Train on the prompt of this adapter file. Default: the one in force.")
    ] = None,
    messages: Annotated[
        bool, typer.Option(help="Train on the language model's own prompt, though an adapter is published.")
    ] = False,
    leave_out: Annotated[bool, typer.Option(help="Leave refused cases out, and count them.")] = False,
    seed: Annotated[int, typer.Option(help="Draws the days that frozen prompts name.")] = 0,
) -> None:
    """Make training examples of labelled cases: each prompt is the one that is sent online, byte for byte.

    The judgement itself is run on each case, with the right reply in the place of the language model's. A case whose
    reply is not read as its verdict teaches nothing that counts, and is refused by its line.
    """
    from contracts.errors import InvalidInput
    from golden_lab.training.data.examples import write_examples

    made, refused = asyncio.run(_make(name, cases, adapter, messages=messages, seed=seed))
    if refused and not leave_out:
        rest = f"\n… and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        raise InvalidInput(
            f"{len(refused)} of {len(made) + len(refused)} cases are refused (--leave-out goes on without them):\n"
            + "\n".join(refused[:_SHOWN])
            + rest,
            field="cases",
        )
    if not made:
        raise InvalidInput(f"{cases} holds no case of {name} to train on", field="cases")
    digest = write_examples(out, made)
    typer.echo(f"{out}: {len(made)} examples, SHA-256 {digest}")
    for each in refused[:_SHOWN]:
        typer.echo(f"left out: {each}", err=True)
    if refused:
        typer.echo(f"{len(refused)} of {len(made) + len(refused)} cases left out", err=True)


async def _make(
    name: str, path: Path, file: Path | None, *, messages: bool, seed: int
) -> "tuple[list[TrainingExample], list[str]]":
    from functools import partial

    from contracts.errors import InvalidInput
    from golden_lab.training.judgements.examples import make_example
    from golden_lab.training.judgements.forms import form_of, read_cases
    from golden_lab.wiring.training_prompts import adapter_to_train, online_judgement
    from golden_retriever.settings import load_settings

    form_of(name)
    settings = load_settings()
    adapter = adapter_to_train(settings, name, file, messages=messages)
    online_of = partial(online_judgement, settings, name)
    made, refused = [], []
    for line, case in await asyncio.to_thread(lambda: list(read_cases(path, name))):
        try:
            made.append(await make_example(case, online_of, adapter, seed=seed))
        except InvalidInput as error:
            refused.append(f"{path}, line {line}: {error}")
    return made, refused
