"""The tab for import and export: an import is previewed row by row before anything changes.

The browser sends a file to the API and keeps it, and passes the API's response on to this code to be shown. That
response therefore comes from a browser, and may be anything.
"""

import json
from typing import TypeVar

from markupsafe import Markup
from pydantic import BaseModel, ValidationError

from contracts.dictionary import Imported
from contracts.errors import InvalidInput
from serving.problems import Problem, ProblemBody
from ui.dictionary.tabs import Outcome, TabRequest

_Model = TypeVar("_Model", bound=BaseModel)


async def render_import(request: TabRequest, told: object) -> Markup:
    """Render the choice of files, the changes that a file would make, and the files to export."""
    imported = told if isinstance(told, Imported) else Imported()
    sheets = [(name, sheet) for name, sheet in (("terms", imported.terms), ("contexts", imported.contexts)) if sheet]
    return request.render("import", sheets=sheets, refused=told if isinstance(told, Problem) else None)


async def previewed(request: TabRequest) -> Outcome:
    """Show the changes that a file would make, as reported by the API."""
    return Outcome(where=request.where.at("import"), told=_said(request, Imported), focus="import-now")


async def imported(request: TabRequest) -> Outcome:
    """Show the changes that an import made, as reported by the API."""
    done, words = _said(request, Imported), request.words
    sheets = [sheet for sheet in (done.terms, done.contexts) if sheet]
    counts = {name: words.number(sum(getattr(sheet, name) for sheet in sheets)) for name in _COUNTED}
    undo = str(done.change) if done.change else ""
    notice = words("dictionary.import.done", **counts)
    return Outcome(where=request.where.at("import", undo=undo), notice=notice, focus="undo")


async def import_refused(request: TabRequest) -> Outcome:
    """Show why the API refused a file."""
    return Outcome(where=request.where.at("import"), told=_said(request, ProblemBody).error)


_COUNTED = ("added", "changed", "unchanged")


def _said(request: TabRequest, model: type[_Model]) -> _Model:
    """Return the API's response as sent by the browser. Raises ``InvalidInput`` if it cannot be read."""
    try:
        return model.model_validate(json.loads(request.value("result")))
    except (ValueError, ValidationError, RecursionError) as error:
        raise InvalidInput(request.words("dictionary.import.unreadable")) from error
