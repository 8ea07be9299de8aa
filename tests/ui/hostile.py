"""Hostile text, and a judge of whether HTML could run, load, navigate or restyle anything."""

import re
from typing import Any

from bs4 import BeautifulSoup

from contracts.answer import (
    Answer,
    CheckedSentence,
    Citation,
    ClarifyingOption,
    Outcome,
    PoorlyReadPage,
    RefinementRecord,
    Step,
)
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.text import Span

PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "[click](javascript:alert(1))",
    "[click](https://evil.example/?q=1)",
    "![track](https://evil.example/pixel.png)",
    "<https://evil.example>",
    "[ref]: https://evil.example\n[ref]",
    "</div></article></body><iframe src='https://evil.example'>",
    "```html\n<script>alert(1)</script>\n```",
    '```x"><script>alert(1)</script>\ncode\n```',
    "`<b onclick=alert(1)>`",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} @children",
    "\ue000\ue100 private \ue001 use",
    "a\x00b\x1b[31m\ud800",
    "| a | b |\n|---|---|\n| <script>x</script> | [y](javascript:z) |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    'style="position:fixed;inset:0"',
    "\u202eevil\u202c",
)

_ELEMENTS = frozenset(
    """a article blockquote br button caption code dd del details dialog div dl dt em fieldset figcaption figure h1 h2
    h3 h4 h5 h6 header hr img input ins kbd label legend li mark meter nav ol optgroup option output p pre progress
    q s section select small span strong summary table tbody td template textarea tfoot th thead time tr ul""".split()  # noqa: SIM905
)
_ATTRIBUTES = frozenset(
    """accept alt autocomplete checked class cols colspan datetime decoding dir disabled download for height hidden id
    inputmode lang loading max maxlength min minlength multiple name open pattern placeholder readonly rel required role
    rows rowspan scope selected spellcheck start step tabindex target title type value width""".split()  # noqa: SIM905
)
_STYLED = frozenset({"left", "top", "width", "height", "text-align"})
# A place on the page, or a path of this server: no other host, no other scheme.
_OWN = re.compile(r"#[A-Za-z][\w-]*|/(?![/\\])[^\x00-\x20\\]*")


def assert_harmless(html: str) -> BeautifulSoup:
    """Parse ``html`` as a browser would and check every element and attribute."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(True):
        assert tag.name in _ELEMENTS, f"<{tag.name}> came through"
        for name, value in tag.attrs.items():
            if name == "src":
                assert tag.name == "img"
                assert _OWN.fullmatch(str(value)), f"{tag.name} loads {value}"
            elif name == "href":
                assert _OWN.fullmatch(str(value)), f"{tag.name} leads to {value}"
            elif name == "style":
                assert {part.split(":")[0].strip() for part in str(value).split(";") if part} <= _STYLED
            else:
                assert name in _ATTRIBUTES or name.startswith(("data-", "aria-")), f"{tag.name} has {name}"
    return soup


def answer_of_text(text: str, outcome: Outcome = "answered", /, **fields: Any) -> Answer:
    """Return an answer with ``text`` wherever a document, a dictionary or a person could write."""
    sense = Sense(id=1, term=text, extended_name=text, context=text, description=text, notes=text, source=text)
    other = sense.model_copy(update={"extended_name": f"other {text}"})
    mention = Mention(text=text, span=Span(0, 3), term=text, corrected=True)
    reading = Reading(mention=mention, status="chosen", sense=sense, reason=text, alternatives=(sense, other),
                      suggestions=(text, text))  # fmt: skip
    mined = reading.model_copy(update={"status": "documents", "sense": None})
    quoted = Citation(number=1, document_name=text, document_id=text, document_title=text, page=3, chunk_id="c",
                      quote=text, heading_path=(text,), passage_text=text)  # fmt: skip
    refinement = RefinementRecord(policy=text, signal_name=text, signal=0.4, threshold=0.5, fired=True, reasons=(text,),
                                  kept="rewrite", kept_reason=text)  # fmt: skip
    values: dict[str, Any] = {
        "outcome": outcome, "text": f"{text} [1] {text}", "question": text, "standalone_question": text,
        "turn_id": text, "certainty": 0.4, "context": text, "context_probability": 0.5, "missing": (text,),
        "readings": (reading, mined), "unknown_terms": (reading,), "follow_ups": (text,),
        "options": (ClarifyingOption(number=1, sense=sense),),
        "steps": (Step(node=text, finding=text, milliseconds=1.0, provenance=Provenance(implementation=text)),),
        "sentences": (CheckedSentence(text=text, citations=(), label="unfaithful", probability=0.1, reason=text),),
        "closest" if outcome == "closest_passages" else "citations": (quoted,),
        "degraded": (f"{text}: {text}",), "refinement": refinement,
        "poor_pages": (PoorlyReadPage(document=text, document_id=text, page=3, citations=(1,), reason=text),),
    }  # fmt: skip
    return Answer(**{**values, **fields})
