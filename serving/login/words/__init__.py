"""What the login's page says, in each language; and which language a browser wants."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent
DEFAULT = "en"


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Mapping[str, str]]:
    """Return the words of each language by their names: one language a file."""
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.toml"))}


def language_for(accepted: str) -> str:
    """Return the language that an ``Accept-Language`` header asks for first, of those there are; else English."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted.split(",")):
        tag, _, weight = part.partition(";")
        try:
            share = float(weight.partition("=")[2]) if weight else 1.0
        except ValueError:
            continue
        wanted.append((-share, place, tag.strip().partition("-")[0].lower()))
    return next((name for share, _, name in sorted(wanted) if share < 0 and name in languages()), DEFAULT)
