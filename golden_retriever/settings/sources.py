"""Settings from the environment (GOLDEN_...) or one TOML file, validated once, read only in the wiring."""

import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from contracts.errors import ConfigurationError
from golden_retriever.settings.answering import AnsweringSettings, DocumentSettings, LanguageModelSettings
from golden_retriever.settings.identity import IdentitySettings
from golden_retriever.settings.server import OperatingSettings, PeopleSettings, ServingSettings, StorageSettings


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Return the folder for data that can be rebuilt, such as the model's ONNX graph; it is created if it is missing.

    Raises:
        ConfigurationError: it cannot be created.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "golden-retriever"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the cache folder {folder} cannot be created ({error.strerror or error}): "
            "set XDG_CACHE_HOME to a different folder"
        ) from error
    return folder


CONFIG_VARIABLE = "GOLDEN_CONFIG"


# Fields come in the order of the bases from last to first.
class Settings(
    AnsweringSettings,
    PeopleSettings,
    IdentitySettings,
    OperatingSettings,
    ServingSettings,
    LanguageModelSettings,
    DocumentSettings,
    StorageSettings,
    BaseSettings,
):
    """Every setting, with its default. ``GOLDEN_DATA_DIR`` sets ``data_dir``, and so on.

    A TOML file named by ``GOLDEN_CONFIG`` (or ``golden.toml`` in the current folder) may contain the same names in
    lower case; the environment overrides it.
    """

    model_config = SettingsConfigDict(env_prefix="GOLDEN_", extra="forbid", env_ignore_empty=True)

    if TYPE_CHECKING:
        # Every field has a default, but type checkers do not see those in the base classes.
        def __init__(self, **values: Any) -> None: ...

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        sources: tuple[PydanticBaseSettingsSource, ...] = (init_settings, env_settings)
        path = config_file()
        return (*sources, TomlConfigSettingsSource(settings_cls, toml_file=path)) if path else sources


def config_file() -> Path | None:
    """Return the TOML file in use, or None.

    Raises:
        ConfigurationError: ``GOLDEN_CONFIG`` names a file that does not exist.
    """
    named = os.environ.get(CONFIG_VARIABLE, "")
    if named:
        if not Path(named).is_file():
            raise ConfigurationError(f"{CONFIG_VARIABLE} names {named}, which is not a file: correct it or unset it")
        return Path(named)
    default = Path("golden.toml")
    return default if default.is_file() else None


def load_settings(**overrides: Any) -> Settings:
    """Read and check the settings; ``overrides`` take precedence over all sources.

    Raises:
        ConfigurationError: a setting is wrong; the message names each one and says why.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = "; ".join(_describe(each["loc"], each["msg"]) for each in error.errors())
        raise ConfigurationError(f"settings: {problems}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{config_file()} is not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{config_file()} cannot be read: {error.strerror or error}") from error


def _describe(location: tuple[int | str, ...], message: str) -> str:
    # An error about several settings names them itself.
    if not location:
        return message.removeprefix("Value error, ")
    name = ".".join(str(part) for part in location)
    return f"GOLDEN_{name.upper()} (or {name} in the TOML file): {message}"
