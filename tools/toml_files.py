"""Reads TOML files written by people, such as prompts and declarations of adapters, into models."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from contracts.errors import ConfigurationError

Form = TypeVar("Form", bound=BaseModel)


def read_toml(path: Path, form: type[Form], *, what: str) -> Form:
    """Read a TOML file as ``form``; ``what`` is the kind of file for errors, such as "prompt".

    Raises:
        ConfigurationError: the file cannot be read, is not TOML, or has a missing or unknown key (see its message).
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
