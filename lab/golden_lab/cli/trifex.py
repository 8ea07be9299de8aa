"""``golden-lab trifex``: finds the sources of the claims in responses."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InvalidInput

if TYPE_CHECKING:
    from golden_lab.triples.report import TrifexReport


def trifex(
    path: Annotated[
        Path,
        typer.Argument(
            help="JSONL, one response per line: id, query, context, reference, response and, if there are several, "
            "system and condition.",
            exists=True,
            dir_okay=False,
        ),
    ],
    engine: Annotated[str, typer.Option(help="Engine that extracts and judges claims: embedded or llm.")] = "embedded",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the report with its plots to this file.")] = None,
) -> None:
    """Find which claims of a response are in the query, the context or the reference, and which the model added.

    Source: TRIFEX (Oestreich et al., "Parametric Knowledge and Retrieval Behavior in RAG Fine-Tuning for Electronic
    Design Automation"), section 3.3.
    """
    from golden_lab.triples.report import render_report, report_as_html, report_as_json

    report = asyncio.run(_measure(path, engine))
    if html is not None:
        try:
            html.write_text(report_as_html(report), encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{html} cannot be written: {error}", field="html") from error
    typer.echo(json.dumps(report_as_json(report), indent=2) if as_json else render_report(report))
    if html is not None and not as_json:
        typer.echo(f"\nwritten to {html}")


async def _measure(path: Path, engine: str) -> "TrifexReport":
    from golden_lab.run import SEED
    from golden_lab.triples.pipeline import TriplePipeline, read_examples
    from golden_lab.triples.report import make_report
    from golden_lab.wiring.engines import build_engine
    from golden_retriever.settings import load_settings

    examples = read_examples(path)
    built = build_engine(load_settings(), engine)
    pipeline = TriplePipeline.of(built)
    responses = []
    with typer.progressbar(examples, label="Attributing", file=typer.get_text_stream("stderr")) as bar:
        for example in bar:
            responses.append(await pipeline.attribute(example))
    return make_report(responses, engine=built.name, model=built.model, seed=SEED)
