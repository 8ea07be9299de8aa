"""Commands of ``golden`` and ``golden-lab``, run in the process of the tests."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from contracts.errors import GoldenError
from golden_retriever.cli.app import app as golden


@dataclass(frozen=True)
class Commands:
    """The commands of one group; without a name, all."""

    group: str = ""
    program: typer.Typer = golden

    def invoke(self, *arguments: object, typed: str = "") -> Result:
        """Run a command; ``typed`` is what a person types in."""
        words = [self.group] if self.group else []
        return CliRunner().invoke(self.program, [*words, *(str(each) for each in arguments)], input=typed)

    def succeeds(self, *arguments: object, typed: str = "") -> Result:
        result = self.invoke(*arguments, typed=typed)
        assert result.exit_code == 0, (result.output, result.exception)
        return result

    def output(self, *arguments: object) -> str:
        """Run a command that must succeed, and return what it writes on standard output."""
        return self.succeeds(*arguments).stdout

    def fails(self, kind: type[GoldenError], *arguments: object) -> str:
        """Run a command that must fail with an error of ``kind``, and return its text."""
        result = self.invoke(*arguments)
        assert isinstance(result.exception, kind), (result.output, result.exception)
        return str(result.exception)


def output_on(data: Path, *arguments: object) -> str:
    """Run a command of ``golden`` that must succeed on a data folder, and return what it writes on standard output."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDEN_DATA_DIR", str(data))
        return Commands().output(*arguments)
