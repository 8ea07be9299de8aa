"""The login page: plain HTML with a form and its own style, no script, nothing from other hosts."""

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
    message: str = "",
    values: Mapping[str, object],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **shown: Any,
) -> HTMLResponse:
    """Return the page as a response that is not cached and runs no scripts.

    ``message`` is the name of a message with its ``values``, "" for none. ``shown`` are the template's other values:
    ``path`` is where the form is sent, ``following`` where the browser goes afterwards, ``provider`` the name of the
    identity provider ("" for none), and ``logged_out`` whether somebody logged out.
    """
    words, style = languages()[language], _style()
    text = _template().render(
        language=language, words=words, style=style, message=words[message].format(**values) if message else "", **shown
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
    """Return the first available language of an ``Accept-Language`` header; browsers name the preferred one first."""
    tags = (part.partition(";")[0].strip().partition("-")[0].lower() for part in accepted.split(","))
    return next((tag for tag in tags if tag in languages()), _DEFAULT)


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Mapping[str, str]]:
    """Return the texts of each language by name: one language per file."""
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.toml"))}


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("page.html")


@lru_cache(maxsize=1)
def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8")
