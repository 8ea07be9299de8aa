"""``golden-lab train encoder``: the small encoder behind the embedded judgements."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def encoder(
    data: Annotated[Path, typer.Option("--data", help="The folder with one folder a data set.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for weights, card and the states to go on from.")],
    epochs: Annotated[float, typer.Option("--epochs", min=0.0001, help="How often all examples are seen.")] = 1.0,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.0, help="End after so long, with the best weights so far.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed and data make the same weights.")] = 7,
    frozen_layers: Annotated[
        int, typer.Option("--frozen-layers", min=0, help="The lowest layers that stay as they are.")
    ] = 2,
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads of torch.")] = None,
) -> None:
    """Train one encoder for relevance, answerability, faithfulness and terms; export it to ONNX with 8-bit weights.

    A training that was killed goes on where it was when the same line is given again.
    """
    from golden_lab.training.encoder.command import train_encoder
    from golden_lab.training.encoder.learning import EncoderRecipe
    from golden_lab.wiring.encoder_data import read_encoder_data

    examples = read_encoder_data(data, seed=seed)
    typer.echo(f"{len(examples.train_pairs)} pairs and {len(examples.train_tags)} tagged texts to learn from")
    recipe = EncoderRecipe(epochs=epochs, seed=seed, frozen_layers=frozen_layers)
    options = f"--epochs {epochs:g} --seed {seed} --frozen-layers {frozen_layers}"
    line = f"golden-lab train encoder --data DATA --out OUT {options}"
    card = train_encoder(examples, out, recipe, command=line, told=_tell, minutes=minutes, threads=threads)
    typer.echo(json.dumps({"dev": card["dev"], "int8": card["int8"]}, indent=1))
    typer.echo(f"Weights and card lie in {out}: {card['name']}@{card['revision']}")


def _tell(event: dict[str, Any]) -> None:
    typer.echo(json.dumps(event))
