"""``golden-lab attribution``: is attribution to be trusted on one's own model."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.attribution.report import AttributionReport


class Method(StrEnum):
    """The ways to attribute."""

    GRADIENT = "input-x-gradient"
    INTEGRATED = "integrated-gradients"
    PROPAGATION = "attnlrp"


def attribution(
    data: Annotated[
        Path, typer.Option(help="Questions with passages, shaped like ALCE or GaRAGe: a file or a folder.", exists=True)
    ],
    model: Annotated[str, typer.Option(help="The folder of a causal language model in the form of transformers.")],
    method: Annotated[list[Method], typer.Option(help="A way to attribute; may be given several times.")] = [  # noqa: B006
        Method.GRADIENT,
        Method.INTEGRATED,
    ],
    cases: Annotated[int, typer.Option(min=0, help="Questions of each shape, drawn by seed; 0: all.")] = 15,
    tokens: Annotated[int, typer.Option(min=1, help="First tokens of the answer that are attributed.")] = 10,
    points: Annotated[int, typer.Option(min=1, help="Steps in which tokens are taken away.")] = 10,
    device: Annotated[str, typer.Option(help="The model's device, such as cuda:0.")] = "",
    seed: Annotated[int, typer.Option(help="Draws questions and resamples.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the report to this file, as Markdown or .json.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Take away what attribution calls relevant, and see whether the model's prediction falls sooner.

    Reports the area between the occlusion curves (ABPC; positive: the attribution is faithful), the first token's share
    and conservation, with intervals. AttnLRP changes the model's gradients for good, so it is measured last.

    Source: the study of refinement that the product builds on, sections 4.2 and 4.5.9.
    """
    from golden_lab.attribution.report import as_json as plain
    from golden_lab.attribution.report import render

    report = _measure(data, model, sorted(set(method), key=list(Method).index), cases, tokens, points, device, seed)
    text = json.dumps(plain(report), indent=2)
    if out is not None:
        out.write_text(text if out.suffix == ".json" else render(report), encoding="utf-8")
    typer.echo(text if as_json else render(report))


def _measure(
    data: Path, folder: str, methods: list[Method], most: int, tokens: int, points: int, device: str, seed: int
) -> "AttributionReport":
    from golden_lab.attribution.report import AttributionOutcome, make_report, measure_attribution
    from golden_lab.causal_attribution.model import LocalCausalModel
    from golden_lab.refinement.cases import read_cases
    from golden_lab.wiring.attribution import attributor_named

    read = read_cases(data, most=most, seed=seed)
    model = LocalCausalModel.load(folder, device=device)
    found: list[AttributionOutcome] = []
    with typer.progressbar(
        length=len(read.cases) * len(methods), label="Attributing", file=typer.get_text_stream("stderr")
    ) as bar:
        for method in methods:
            attributor = attributor_named(method.value, model)
            found += measure_attribution(
                model, [attributor], read.cases, tokens=tokens, points=points, on_case=lambda: bar.update(1)
            )
    return make_report(found, model=model.name, seed=seed, notes=read.notes)
