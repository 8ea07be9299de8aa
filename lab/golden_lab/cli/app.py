"""Combines the commands of the laboratory."""

from golden_lab.cli import (
    bench,
    benchmarks,
    calibration,
    judging,
    manuals,
    refinement,
    systems,
    trifex,
)
from golden_lab.cli.training import app as training
from golden_retriever.cli.app import FriendlyTyper

app = FriendlyTyper(
    name="golden-lab",
    help="Studies, public benchmarks, training and speed measurements for Golden Retriever.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("list")(benchmarks.list_benchmarks)
app.command("all")(benchmarks.run_all)
app.command("show")(benchmarks.show)
app.command("systems")(systems.systems)
app.command("trifex")(trifex.trifex)
app.command("refinement")(refinement.refinement)
app.add_typer(judging.app, name="judge")
app.add_typer(bench.app, name="bench")
app.add_typer(manuals.app, name="manuals")
calibration.register(refinement.calibrate)
app.add_typer(refinement.calibrate, name="calibrate")
app.add_typer(training.app, name="train")
