"""The form of one meaning, and what it shows when somebody else changed the meaning meanwhile."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.dictionary import ContextEntry, SenseEntry
from contracts.jargon import Sense
from serving.dictionary.preconditions import PreconditionFailed
from ui.dictionary import pieces
from ui.html import Safe, element
from ui.words import Words

_BETWEEN = re.compile(r"[;\n]")
_COMPARED = ("term", "extended_name", "context", "description", "notes", "source", "aliases", "state")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """An edit that was refused: what somebody wrote, and what stands there now (None: it is gone)."""

    mine: Sense
    theirs: SenseEntry | None

    @classmethod
    def of(cls, mine: Sense, refused: PreconditionFailed) -> "Clash":
        """Return the clash of an edit that was refused."""
        return cls(mine=mine, theirs=refused.current if isinstance(refused.current, SenseEntry) else None)


def fields_in(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a meaning that a form sent, as the API takes them."""
    told: dict[str, Any] = {name: sent.get(name, "").strip() for name in _COMPARED if name in sent}
    if "aliases" in told:
        told["aliases"] = [each.strip() for each in _BETWEEN.split(told["aliases"]) if each.strip()]
    if told.get("state") not in pieces.STATES:
        told.pop("state", None)
    return told


def meaning_in(number: int, sent: Mapping[str, str]) -> Sense:
    """Return the meaning that a form sent."""
    told = fields_in(sent)
    return Sense(**{"term": "", "extended_name": "", **told, "id": number})


def render_form(
    words: Words,
    meaning: Sense,
    contexts: Sequence[ContextEntry],
    *,
    key: str,
    etag: str = "",
    save: str = "save",
    save_text: str = "",
    with_state: bool = True,
    clash: Clash | None = None,
    more: Safe | None = None,
) -> Safe:
    """Render the form of ``meaning`` at the version ``etag``.

    ``save`` is the action of its button, ``more`` what stands below.

    Its first field has the ``data-key`` ``first-<key>``.
    """
    name = pieces.field_name
    states = [(each, words(f"dictionary.state.{each}")) for each in pieces.STATES]
    state = pieces.choice(name(words, "state"), "state", states, meaning.state) if with_state else None
    grid = element(
        "div",
        pieces.line(name(words, "term"), "term", meaning.term, data_key=f"first-{key}", required=True),
        pieces.line(name(words, "extended_name"), "extended_name", meaning.extended_name, required=True),
        pieces.context_choice(words, contexts, meaning.context),
        state,
        pieces.box(name(words, "description"), "description", meaning.description),
        pieces.box(name(words, "notes"), "notes", meaning.notes, rows=2),
        pieces.line(words("dictionary.aliases_hint"), "aliases", "; ".join(meaning.aliases)),
        pieces.line(name(words, "source"), "source", meaning.source),
        class_="fields",
    )
    said = save_text or words("dictionary.save")
    buttons = element(
        "div",
        pieces.button(words("dictionary.keep_mine") if clash else said, save, class_="primary", data_submit=True,
                      data_id=meaning.id, data_etag=etag or None),
        pieces.button(words("dictionary.cancel"), "close", data_cancel=True),
        class_="buttons",
    )  # fmt: skip
    return element("div", _clash(words, clash), grid, buttons, more, class_="editor", data_form=True,
                   data_key=f"form-{key}{'-mine' if clash else ''}", role="group",
                   aria_label=words("dictionary.editing", term=meaning.term) if meaning.term else
                   words("dictionary.new_term"))  # fmt: skip


def _clash(words: Words, clash: Clash | None) -> Safe | None:
    if clash is None:
        return None
    if clash.theirs is None:
        gone = element("p", words("dictionary.clash.gone"))
        return element("div", gone, class_="clash", role="alert")
    theirs = clash.theirs
    rows = [
        element("tr", element("th", pieces.field_name(words, name), scope="row"),
                element("td", _shown(words, name, clash.mine)), element("td", _shown(words, name, theirs)))
        for name in _COMPARED
        if getattr(clash.mine, name) != getattr(theirs, name)
    ]  # fmt: skip
    who = pieces.who_said(words, theirs.changed_by)
    head = element("tr", element("th", words("dictionary.difference.field"), scope="col"),
                   element("th", words("dictionary.clash.mine"), scope="col"),
                   element("th", words("dictionary.clash.theirs", who=who), scope="col"))  # fmt: skip
    table = element("table", element("thead", head), element("tbody", *rows), class_="differences") if rows else None
    take = pieces.button(words("dictionary.clash.take"), "edit", data_id=theirs.id)
    said = element("p", words("dictionary.clash.said", who=who))
    return element("div", said, table, take, class_="clash", role="alert")


def _shown(words: Words, name: str, meaning: Sense) -> str:
    return pieces.value_text(words, name, getattr(meaning, name))
