"""TOML files of a folder by their names: recipes, experiments."""

from pathlib import Path

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
