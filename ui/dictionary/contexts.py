"""The contexts tab: a description and typical questions for each context."""

from markupsafe import Markup

from serving.dictionary.bodies import ContextIn
from ui.dictionary.tabs import Outcome, TabRequest

# Marks the form for a new context; no context has a blank name.
_NEW = " "


async def render_contexts(request: TabRequest, _: object) -> Markup:
    """Render all contexts, one of them open."""
    found = await request.call(request.dictionary.contexts)
    return request.render("contexts", found=found, is_new=request.where.opened == _NEW)


async def save_context(request: TabRequest) -> Outcome:
    """Save the form of a context."""
    name = request.value("name") or request.field("name")
    if not name:
        return Outcome(where=request.where, notice=request.words("dictionary.context.unnamed"), focus=f"first-{_NEW}")
    examples = [line.strip() for line in request.field("examples").splitlines() if line.strip()]
    wanted = ContextIn(description=request.field("description"), examples=examples)
    kept = await request.call(request.dictionary.put_context, name, wanted, request.value("etag"))
    return request.changed(request.words("dictionary.saved", term=kept.name), kept.last_change, f"open-{kept.name}")


async def delete_context(request: TabRequest) -> Outcome:
    """Delete a context."""
    name = request.value("name")
    gone = await request.call(request.dictionary.delete_context, name, request.value("etag"))
    return request.changed(request.words("dictionary.context.deleted", name=name), gone.change, "tab-contexts")
