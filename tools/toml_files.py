"""TOML files that people write, read into a form: prompts, declarations of adapters."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from contracts.errors import ConfigurationError, InvalidInput

Form = TypeVar("Form", bound=BaseModel)


def read_toml(path: Path, form: type[Form], *, what: str) -> Form:
    """Read a TOML file as ``form``; ``what`` names in errors what it should be, such as "prompt".

    Raises:
        ConfigurationError: it cannot be read, is no TOML, lacks a key or has an unknown one; the text names it.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The {what} file {path} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"The {what} file {path} is not valid TOML: {error}.") from error
    try:
        return form.model_validate(content)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        article = "an" if what[0] in "aeiou" else "a"
        raise ConfigurationError(f"The {what} file {path} is not {article} {what}: {problems}.") from error


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
