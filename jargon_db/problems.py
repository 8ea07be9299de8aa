"""What is wrong with a sheet, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import InvalidInput

# A file that is wrong everywhere is wrong for one reason: more lines than these help nobody.
MAX_PROBLEMS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProblem:
    """What is wrong with one line of a sheet (the header is line 1), in a sentence."""

    line: int
    text: str


class RefusedSheet(InvalidInput):
    """A sheet cannot be imported. ``file`` is its name; ``lines`` are its problems in their order, the first of many.

    ``total`` is how many problems there are.
    """

    def __init__(self, file: str, problems: Sequence[LineProblem], *, field: str = "file") -> None:
        ordered = sorted(problems, key=lambda each: (each.line, each.text))
        shown = [f"line {each.line}: {each.text}" for each in ordered[:MAX_PROBLEMS_SHOWN]]
        if len(ordered) > len(shown):
            shown.append(f"and {len(ordered) - len(shown)} more.")
        if len(ordered) == 1:
            message = f"{file}, {shown[0]} Nothing was imported."
        else:
            message = f"{file} has {len(ordered)} problems; nothing was imported.\n" + "\n".join(shown)
        super().__init__(message, field=field)
        self.file = file
        self.lines = tuple(ordered[:MAX_PROBLEMS_SHOWN])
        self.total = len(ordered)
