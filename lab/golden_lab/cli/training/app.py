"""``golden-lab train``, put together."""

import typer

from golden_lab.cli.training import (
    cases,
    conditions,
    data,
    encoder,
    experiment,
    export,
    intrinsic,
    recipes,
    run,
)

app = typer.Typer(help="Make training data of your documents, train adapters, compare.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Make training data of your documents, train adapters, compare."""


app.command("recipes")(recipes.recipes)
app.command("data")(data.data)
app.command("conditions")(conditions.conditions)
app.command("examples")(conditions.examples)
app.command("cases")(cases.cases)
app.command("intrinsic")(intrinsic.intrinsic)
app.command("run")(run.run)
app.command("experiment")(experiment.experiment)
app.command("export")(export.export)
app.command("encoder")(encoder.encoder)
