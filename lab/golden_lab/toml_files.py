"""Models that are read from TOML files: recipes and experiments."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr

from contracts.errors import InvalidInput
from tools.toml_files import read_toml


class TomlForm(BaseModel):
    """The contents of a TOML file, either one included in ``folder`` or your own; ``what`` is its kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: ClassVar[Path]
    what: ClassVar[str]
    _path: Path = PrivateAttr(Path())

    @property
    def path(self) -> Path:
        """The file that it was read from."""
        return self._path

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the included files."""
        return tuple(sorted(path.stem for path in cls.folder.glob("*.toml")))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ConfigurationError: it cannot be read, is not TOML, lacks a key or has an unknown one; the message names it.
        """
        found = read_toml(path, cls, what=cls.what)
        found._path = path
        return found

    @classmethod
    def find(cls, name: str) -> Self:
        """Return the included file called ``name``, or the file at the path ``name``.

        Raises:
            InvalidInput: neither exists; the message lists the included files.
            ConfigurationError: the file is not valid.
        """
        if name in cls.names():
            return cls.load(cls.folder / f"{name}.toml")
        if name.endswith(".toml") and Path(name).is_file():
            return cls.load(Path(name))
        listed = ", ".join(cls.names())
        raise InvalidInput(f"there is no {cls.what} {name!r}: choose one of {listed}, or a TOML file", field=cls.what)


def toml_text(values: Mapping[str, Any]) -> str:
    """Return ``values`` as TOML: plain values first, then a table for each mapping that is not empty."""
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if not isinstance(value, Mapping)]
    for name, table in values.items():
        if isinstance(table, Mapping) and table:
            lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + "}"
    # Strings, numbers and booleans are written the same way in TOML and JSON, except for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
