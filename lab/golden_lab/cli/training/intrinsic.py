"""``golden-lab train intrinsic``: labelled cases of a judgement, under the prompt that is used online."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.training.data.examples import TrainingExample

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
