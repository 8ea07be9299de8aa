"""TOML files of a folder by their names: recipes, experiments."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput


def toml_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the TOML files in ``folder``, without the suffix, in alphabetical order."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def find_toml(name: str, folder: Path, *, what: str) -> Path:
    """Return the file of ``folder`` that is called ``name``, or the TOML file that ``name`` is the path of.

    Raises:
        InvalidInput: there is neither; the text lists those of ``folder``.
    """
    if name in toml_names(folder):
        return folder / f"{name}.toml"
    if name.endswith(".toml") and Path(name).is_file():
        return Path(name)
    raise InvalidInput(
        f"there is no {what} {name!r}: name one of {', '.join(toml_names(folder))}, or a TOML file", field=what
    )


def toml_text(values: Mapping[str, Any]) -> str:
    """Return ``values`` as TOML: a table for each that is a mapping and not empty, behind all that are none."""
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if not isinstance(value, Mapping)]
    for name, table in values.items():
        if isinstance(table, Mapping) and table:
            lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + "}"
    # Texts, numbers and truth values are written alike in TOML and in JSON, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
