"""The list of documents: sought while one types, by state, a page at a time."""

from collections.abc import Mapping

from contracts.documents import CatalogueState, DocumentPage, FileRecord
from ui.documents.pieces import badge, size
from ui.html import Safe, element
from ui.pages import Visit
from ui.words import Words

STATES = ("", "ready", "poor", "reading", "failed", "duplicate", "removed")
# What "all" counts: the poor ones are ready ones, the removed are shown on demand.
_ALL = ("ready", "reading", "failed", "duplicate")


def render_listing(listing: DocumentPage, place: Mapping[str, str], visit: Visit) -> Safe:
    """Render a page of the list with what leads to others."""
    words = visit.words
    chosen, after = place.get("state", ""), place.get("after", "")
    count = total(listing.totals, chosen)
    field = element("input", type="search", value=place.get("q", ""), name="q", data_live="seek", data_key="q",
                    autocomplete="off")  # fmt: skip
    states = [_state(state, listing.totals, chosen, words) for state in STATES]
    return element(
        "section",
        element("h2", words.count("documents.count", count)),
        element(
            "div",
            element("label", words("documents.sought"), field, class_="seek"),
            element("div", *states, class_="states", role="group", aria_label=words("documents.filter_label")),
            class_="toolbar",
            data_form="seek",
        ),
        _rows(listing, place, words),
        _turning(listing, after, words),
        data_key="listing",
    )


def total(totals: Mapping[CatalogueState, int], state: str) -> int:
    """Return how many documents there are in ``state``, "" for all but the removed."""
    return sum(count for each, count in totals.items() if each == state or (not state and each in _ALL))


def _state(state: str, totals: Mapping[CatalogueState, int], chosen: str, words: Words) -> Safe | None:
    count = total(totals, state)
    if not count and state not in ("", chosen):
        return None
    name = words(f"documents.state.{state or 'all'}")
    return element("button", f"{name} ", element("span", words.number(count), class_="count"), type="button",
                   aria_pressed="true" if state == chosen else "false", data_action="state", data_state=state,
                   data_key=f"state-{state or 'all'}")  # fmt: skip


def _rows(listing: DocumentPage, place: Mapping[str, str], words: Words) -> Safe:
    if not listing.documents:
        sought = any(place.get(name) for name in ("q", "state", "after"))
        return element("p", words("documents.none_found" if sought else "documents.none"), class_="quiet none")
    return element("ul", *(_row(each, words) for each in listing.documents), class_="files", data_key="files")


def _row(document: FileRecord, words: Words) -> Safe:
    title = document.title or document.name
    open_ = element("button", title, type="button", class_="title", data_action="open_document",
                    data_id=document.document_id, data_key=f"open-{document.document_id}")  # fmt: skip
    pages = words.count("documents.page_count", document.pages) if document.pages else None
    poor = words.count("documents.poor_count", document.poor_pages) if document.poor_pages else None
    told = " · ".join(
        each for each in (pages, poor, size(document.size_bytes, words), words.day(document.changed_at)) if each
    )
    return element(
        "li",
        element("div", open_, element("span", document.path, class_="path"),
                element("span", document.reason, class_="why") if document.reason else None, class_="what"),
        element("span", document.group, class_="group"),
        badge(document.standing, words),
        element("span", told, class_="told"),
        data_key=f"row-{document.document_id}",
    )  # fmt: skip


def _turning(listing: DocumentPage, after: str, words: Words) -> Safe | None:
    first = element("button", words("documents.first_page"), type="button", data_action="first", data_key="first")
    following = element("button", words("documents.next_page"), type="button", data_action="next",
                        data_after=listing.next, data_key="next")  # fmt: skip
    shown = [button for button, there in ((first, after), (following, listing.next)) if there]
    return element("div", *shown, class_="turning") if shown else None
