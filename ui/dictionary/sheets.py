"""The tab of import and export: files that are previewed row by row before anything changes.

A file goes from the browser to the API and stays in the browser meanwhile; what the API said of it comes here to be
shown. So it came from a browser, and may be anything.
"""

import json
from collections.abc import Mapping
from typing import Literal, TypeVar

from pydantic import BaseModel, ValidationError

from contracts.dictionary import Imported, ImportReport, PlannedRow
from contracts.errors import InvalidInput
from serving.dictionary.problems import DictionaryProblem, DictionaryProblemBody
from ui.dictionary import pieces
from ui.dictionary.tabs import Outcome, TabAction, TabRequest
from ui.html import Safe, element, join, link
from ui.words import Words

_Model = TypeVar("_Model", bound=BaseModel)
_PATH = "/api/dictionary/import"
_VERDICTS: tuple[Literal["added", "changed", "conflicting", "unchanged"], ...] = (
    "added",
    "changed",
    "conflicting",
    "unchanged",
)
_EXPORTS = ("terms.csv", "terms.xlsx", "contexts.csv", "contexts.xlsx")
_KINDS = ".csv,.xlsx,.tsv,.txt"


class ImportTab:
    """Import and export."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab; each is the script's, after the API answered it."""
        return {"previewed": _previewed, "imported": _imported, "import_refused": _refused}

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render the choice of files, what a file would change, and the files to export."""
        words = request.words
        shown = _preview(words, told) if isinstance(told, Imported) else None
        refused = _refusal(words, told) if isinstance(told, DictionaryProblem) else None
        files = element(
            "div",
            _file(words, "terms"),
            _file(words, "contexts"),
            class_="files",
        )
        choose = element(
            "section",
            element("h2", words("dictionary.import.title")),
            element("p", words("dictionary.import.lead"), class_="quiet"),
            files,
            refused,
            shown,
            class_="card",
            data_import_form=True,
            data_path=request.visit.path(_PATH),
            data_broken=words("dictionary.import.unreachable"),
        )
        return join([choose, _exports(request)])


def _file(words: Words, name: str) -> Safe:
    field = element("input", type="file", name=name, accept=_KINDS, data_upload=True)
    columns = element("span", words(f"dictionary.import.columns.{name}"), class_="quiet")
    return element("label", element("strong", words(f"dictionary.import.{name}")), columns, field, class_="drop")


def _exports(request: TabRequest) -> Safe:
    words = request.words
    links = [
        element("li", link(words(f"dictionary.export.{each.replace('.', '_')}"),
                           request.visit.path(f"/api/dictionary/export/{each}"), download=True))
        for each in _EXPORTS
    ]  # fmt: skip
    return element("section", element("h2", words("dictionary.export.title")),
                   element("p", words("dictionary.export.lead"), class_="quiet"),
                   element("ul", *links, class_="exports"), class_="card")  # fmt: skip


def _refusal(words: Words, refusal: DictionaryProblem) -> Safe:
    lines = [element("li", element("strong", words("dictionary.import.line", line=each.line)), " ", each.text)
             for each in refusal.lines or ()]  # fmt: skip
    return element("div", element("p", refusal.message), element("ul", *lines) if lines else None, class_="clash",
                   role="alert")  # fmt: skip


def _preview(words: Words, imported: Imported) -> Safe:
    sheets = [(name, sheet) for name, sheet in (("terms", imported.terms), ("contexts", imported.contexts)) if sheet]
    changing = sum(sheet.added + sheet.changed + sheet.conflicting for _, sheet in sheets)
    buttons = element(
        "div",
        element("button", words("dictionary.import.now"), type="button", class_="primary", data_import=True,
                data_key="import-now") if changing else None,
        pieces.button(words("dictionary.cancel"), "tab", data_tab="import"),
        class_="buttons",
    )  # fmt: skip
    nothing = None if changing else element("p", words("dictionary.import.nothing"))
    shown = [_sheet(words, name, sheet) for name, sheet in sheets]
    return element("div", element("h2", words("dictionary.import.preview")), nothing, buttons, *shown,
                   class_="preview", role="region", aria_label=words("dictionary.import.preview"))  # fmt: skip


def _sheet(words: Words, name: str, sheet: ImportReport) -> Safe:
    counts = [
        element("li", element("strong", words.number(getattr(sheet, each))), " ",
                words(f"dictionary.verdict.{each}"), class_=each)
        for each in _VERDICTS
    ]  # fmt: skip
    rows = [_row(words, each) for each in sheet.rows]
    left = None
    if sheet.rows_left_off:
        left = element("p", words.count("dictionary.import.left_off", sheet.rows_left_off), class_="quiet")
    return element("div", element("h3", words(f"dictionary.import.{name}")), element("ul", *counts, class_="tiles"),
                   element("ul", *rows, class_="rows planned listing") if rows else None, left)  # fmt: skip


def _row(words: Words, row: PlannedRow) -> Safe:
    name = row.sense.term if row.sense else row.context.name if row.context else ""
    meant = row.sense.extended_name if row.sense else ""
    where = pieces.context_chip(words, row.sense.context) if row.sense else None
    head = element(
        "div",
        element("span", words("dictionary.import.line", line=row.line), class_="quiet"),
        element("span", element("strong", name), f" {meant} ", where),
        pieces.chip(words(f"dictionary.verdict.{row.verdict}"), row.verdict),
        class_="planned-row",
    )
    changed = pieces.differences(words, row.differences) if row.verdict == "changed" else None
    return element("li", head, changed, pieces.contradicted(words, row.rivals))


async def _previewed(request: TabRequest) -> Outcome:
    return Outcome(where=request.where.at("import"), told=_said(request, Imported), focus="import-now")


async def _imported(request: TabRequest) -> Outcome:
    done = _said(request, Imported)
    sheets = [sheet for sheet in (done.terms, done.contexts) if sheet]
    added, changed = (sum(getattr(sheet, each) for sheet in sheets) for each in ("added", "changed"))
    same = sum(sheet.unchanged for sheet in sheets)
    words = request.words
    said = words("dictionary.import.done", added=words.number(added), changed=words.number(changed),
                 unchanged=words.number(same))  # fmt: skip
    undo = f"b{done.change}" if done.change else ""
    return Outcome(where=request.where.at("import", undo=undo), notice=said, focus="undo")


async def _refused(request: TabRequest) -> Outcome:
    return Outcome(where=request.where.at("import"), told=_said(request, DictionaryProblemBody).error)


def _said(request: TabRequest, model: type[_Model]) -> _Model:
    """Return what the API said to the browser.

    Raises:
        InvalidInput: it is nothing that the API says.
    """
    try:
        return model.model_validate(json.loads(request.action.values.get("result", "")))
    except (ValueError, ValidationError, RecursionError) as error:
        raise InvalidInput(request.words("dictionary.import.unreadable")) from error
