"""TOML files written by people, read into a model: prompts, declarations of adapters."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from contracts.errors import ConfigurationError

Form = TypeVar("Form", bound=BaseModel)


def read_toml(path: Path, form: type[Form], *, what: str) -> Form:
    """Read a TOML file as ``form``; ``what`` names in errors what it should be, such as "prompt".

    Raises:
        ConfigurationError: it cannot be read, is not TOML, lacks a key or has an unknown one; the text names it.
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
