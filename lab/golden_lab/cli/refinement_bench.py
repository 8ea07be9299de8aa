"""``golden-lab bench refinement``: what refinement costs a question."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.speed.refinement import RefinementCost


def refinement(
    questions: Annotated[int, typer.Option(min=1, help="Questions of the examples' quiz that have an answer.")] = 12,
    rounds: Annotated[int, typer.Option(min=1, help="How often each policy takes its turn, after a warm-up.")] = 3,
    examples: Annotated[
        Path | None, typer.Option(help="A folder such as examples/ of the source. Default: that.", file_okay=False)
    ] = None,
    work: Annotated[
        Path | None, typer.Option(help="The folder for the examples' library; default: in the cache.", file_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print plain values as JSON.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the JSON to this file too.", dir_okay=False)] = None,
) -> None:
    """Count the replies a question under each policy of refinement, and the review's own time beside the question's.

    The writer is simulated and no model: ratios of replies and of own time mean something, how often it writes again
    does not.
    """
    from golden_lab.speed.refinement_report import refinement_as_json, render_refinement

    cost = asyncio.run(_measure(questions, rounds, examples, work))
    text = json.dumps(refinement_as_json(cost), indent=2)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    typer.echo(text if as_json else render_refinement(cost))


async def _measure(questions: int, rounds: int, examples: Path | None, work: Path | None) -> "RefinementCost":
    from golden_lab.run import Run
    from golden_lab.speed.refinement import measure_refinement
    from golden_lab.systems.examples import find_examples
    from golden_lab.wiring.measuring import build_engine
    from golden_retriever.settings import cache_folder, load_settings

    # The product as it comes: settings of the machine's own would be measured with it.
    settings = load_settings(llm_base_url="", profile="embedded", engines="")
    run = Run(data=Path(), work=work or cache_folder() / "eval")
    return await measure_refinement(
        build_engine(settings),
        run,
        examples or find_examples(),
        questions=questions,
        rounds=rounds,
        on_step=lambda step: typer.echo(step, err=True),
    )
