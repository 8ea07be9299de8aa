"""The login's page: plain HTML with a form, no script, its own style, nothing from anywhere else."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from urllib.parse import quote

from fastapi.responses import HTMLResponse

from serving.login.words import languages

_STYLE = Path(__file__).parent / "page.css"
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginPage:
    """What the page shows.

    ``following`` is where the browser goes afterwards; ``path`` where the form is sent, with the server's prefix.
    ``provider`` is what the identity provider is called, "" for none. ``said`` is one of the words' names with the
    values in it, "" for nothing; ``left`` that somebody logged out, and ``left_url`` where they can do so at the
    provider, too.
    """

    language: str
    path: str
    following: str
    provider: str = ""
    said: str = ""
    values: Mapping[str, object] | None = None
    left: bool = False
    left_url: str = ""

    def response(self, status: int = 200, headers: Mapping[str, str] | None = None) -> HTMLResponse:
        """Return the page as an answer that nothing keeps, and that runs nothing."""
        style, digest = _style()
        policy = {"content-security-policy": _POLICY.format(style=digest), "cache-control": "no-store"}
        kind = {"content-language": self.language, "vary": "Accept-Language"}
        return HTMLResponse(self._html(style), status_code=status, headers={**policy, **kind, **(headers or {})})

    def _html(self, style: str) -> str:
        words = languages()[self.language]
        wrong = ' aria-invalid="true" aria-describedby="said hint"' if self.said else ' aria-describedby="hint"'
        return f"""<!doctype html>
<html lang="{self.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>{escape(words["title"])} · Golden Retriever</title>
<style>{style}</style>
</head>
<body>
<main>
<p class="name">Golden Retriever</p>
<h1>{escape(words["title"])}</h1>
<p class="quiet">{escape(words["lead"])}</p>
{self._news(words)}{self._way_to_provider(words)}<form method="post" action="{escape(self.path)}">
<input type="hidden" name="next" value="{escape(self.following)}">
<label for="key">{escape(words["key"])}</label>
<p class="quiet" id="hint">{escape(words["key_hint"])}</p>
<p><input id="key" name="key" type="password" required autocomplete="current-password" autocapitalize="none"
 spellcheck="false" maxlength="200"{" autofocus" if not self.provider else ""}{wrong}></p>
<button class="button{" second" if self.provider else ""}" type="submit">{escape(words["with_key"])}</button>
</form>
</main>
</body>
</html>
"""

    def _news(self, words: Mapping[str, str]) -> str:
        if self.said:
            text = words[self.said].format(**(self.values or {}))
            return f'<p class="said wrong" id="said" role="alert">{escape(text)}</p>\n'
        if not self.left:
            return ""
        told = f'<p class="said" role="status">{escape(words["left"])}</p>\n'
        if self.left_url:
            label = escape(words["left_provider"].format(provider=self.provider))
            told += f'<p><a class="button second" href="{escape(self.left_url)}">{label}</a></p>\n'
        return told

    def _way_to_provider(self, words: Mapping[str, str]) -> str:
        if not self.provider:
            return ""
        # A link and no form: of forms, browsers let the policy bind where they lead in the end.
        url = f"{self.path}/oidc?next={quote(self.following, safe='')}"
        label = escape(words["with_provider"].format(provider=self.provider))
        return f'<p><a class="button" href="{escape(url)}">{label}</a></p>\n<p class="or">{escape(words["or"])}</p>\n'


@lru_cache(maxsize=1)
def _style() -> tuple[str, str]:
    style = _STYLE.read_text(encoding="utf-8")
    return style, base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
