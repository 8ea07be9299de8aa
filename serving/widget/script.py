"""The widget's script: its parts and its styles in one file, made once."""

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_STATIC = Path(__file__).parent / "static"
# In the order in which each builds on those before it.
_PARTS = (
    "texts", "dom", "markdown", "asking", "readings", "answers", "conversation", "exchange", "dialog", "start",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WidgetScript:
    """The script's bytes, plain and gzipped, and a tag that changes with them."""

    plain: bytes
    gzipped: bytes
    etag: str


@lru_cache(maxsize=1)
def widget_script() -> WidgetScript:
    """Read the parts and join them; none of their names becomes a global one."""
    parts = "\n".join((_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in _PARTS)
    styles = (_STATIC / "widget.css").read_text(encoding="utf-8")
    plain = f'(() => {{\n"use strict";\nconst STYLES = {json.dumps(styles)};\n{parts}\n}})();\n'.encode()
    # Weak: the gzipped script has the same tag.
    etag = f'W/"{hashlib.sha256(plain).hexdigest()[:32]}"'
    return WidgetScript(plain=plain, gzipped=gzip.compress(plain, mtime=0), etag=etag)
