"""The login's page: plain HTML with a form, no script, its own style, nothing from anywhere else."""

import base64
import hashlib
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, Template

_FOLDER = Path(__file__).parent
_DEFAULT = "en"
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def login_page(
    language: str,
    *,
    said: str = "",
    values: Mapping[str, object],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **shown: Any,
) -> HTMLResponse:
    """Return the page as an answer that nothing keeps, and that runs nothing.

    ``said`` is one of the words' names with ``values`` in it, "" for nothing. ``shown`` are the template's other
    values: ``path`` where the form is sent, ``following`` where the browser goes afterwards, ``provider`` what the
    identity provider is called ("" for none), ``left`` that somebody logged out.
    """
    words, style = languages()[language], _style()
    text = _template().render(
        language=language, words=words, style=style, said=words[said].format(**values) if said else "", **shown
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    own = {
        "content-security-policy": _POLICY.format(style=digest),
        "cache-control": "no-store",
        "content-language": language,
        "vary": "Accept-Language",
    }
    return HTMLResponse(text, status_code=status, headers={**own, **(headers or {})})


def language_for(accepted: str) -> str:
    """Return the first language of an ``Accept-Language`` header that there is; browsers name the best one first."""
    tags = (part.partition(";")[0].strip().partition("-")[0].lower() for part in accepted.split(","))
    return next((tag for tag in tags if tag in languages()), _DEFAULT)


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Mapping[str, str]]:
    """Return the words of each language by their names: one language a file."""
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.toml"))}


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("page.html")


@lru_cache(maxsize=1)
def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8")
