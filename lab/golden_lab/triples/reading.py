"""Reading the examples that people want attributed: a file of JSON lines."""

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.errors import InvalidInput
from golden_lab.triples.pipeline import Example


class ExampleLine(BaseModel):
    """One line: a response, what it was made from, and what it should say."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str = Field(min_length=1)
    query: str
    context: str
    reference: str
    response: str
    system: str = ""
    condition: str = ""


def read_examples(path: Path) -> tuple[Example, ...]:
    """Read examples, one JSON object a line; empty lines are passed over.

    Raises:
        InvalidInput: the file cannot be read or holds no example, a line is not of the form, or an id comes twice for
            one system and condition; the text names file, line and field.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", field="path") from error
    found: dict[tuple[str, str, str], Example] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        example = _example(path, number, line)
        key = (example.system, example.condition, example.id)
        if key in found:
            raise InvalidInput(
                f'{path}, line {number}, field "id": "{example.id}" comes twice for this system and condition',
                field="id",
            )
        found[key] = example
    if not found:
        raise InvalidInput(f"{path} holds no example: give one JSON object a line", field="path")
    return tuple(found.values())


def _example(path: Path, number: int, line: str) -> Example:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{path}, line {number}: no JSON: {error}", field="line") from error
    if not isinstance(row, dict):
        raise InvalidInput(f"{path}, line {number}: an example is a JSON object with its fields", field="line")
    try:
        return Example(**ExampleLine.model_validate(row).model_dump())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        raise InvalidInput(f'{path}, line {number}, field "{field}": {first["msg"]}', field=field) from error
