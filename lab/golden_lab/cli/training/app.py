"""Combines the commands of ``golden-lab train``."""

import typer

from golden_lab.cli.training import cases, data, experiment, run

app = typer.Typer(
    help="Make training data from your documents, train adapters, and compare them.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Make training data from your documents, train adapters, and compare them."""


app.command("recipes")(run.recipes)
app.command("data")(data.data)
app.command("conditions")(data.conditions)
app.command("examples")(data.examples)
app.command("cases")(cases.cases)
app.command("intrinsic")(cases.intrinsic)
app.command("run")(run.run)
app.command("experiment")(experiment.experiment)
app.command("export")(run.export)
app.command("cross-encoder")(run.cross_encoder)
