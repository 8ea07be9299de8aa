"""The history tab: who changed what and when."""

from itertools import groupby

from markupsafe import Markup

from ui.dictionary.tabs import PAGE, TabRequest


async def render_history(request: TabRequest, _: object) -> Markup:
    """Render the changes, newest first; those that were made together are grouped."""
    where = request.where
    found = await request.call(
        request.dictionary.history, term=where.text.strip() or None, before=where.start or None, limit=PAGE + 1
    )
    shown = found[:PAGE]
    batches = [list(changes) for _, changes in groupby(shown, key=lambda each: each.batch or each.number)]
    return request.render("history", batches=batches, older=shown[-1].number if len(found) > PAGE else None)
