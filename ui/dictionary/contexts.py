"""The contexts tab: what each is about, and typical questions."""

from dataclasses import dataclass

from markupsafe import Markup

from contracts.dictionary import ContextEntry
from contracts.errors import PreconditionFailed
from contracts.jargon import Context
from serving.dictionary.bodies import ContextIn
from ui.dictionary.tabs import Outcome, TabRequest

# Marks the form for a new context; no context has a blank name.
_NEW = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clash:
    """A refused edit: what somebody wrote, and the current version."""

    mine: Context
    theirs: ContextEntry


async def render_contexts(request: TabRequest, told: object) -> Markup:
    """Render every context, one open."""
    found = await request.call(request.dictionary.contexts)
    is_new = request.where.opened == _NEW
    return request.render("contexts", found=found, is_new=is_new, clash=told if isinstance(told, _Clash) else None)


async def save_context(request: TabRequest) -> Outcome:
    """Save the form of a context."""
    name = request.value("name") or request.field("name")
    if not name:
        return Outcome(where=request.where, notice=request.words("dictionary.context.unnamed"), focus=f"first-{_NEW}")
    examples = [line.strip() for line in request.field("examples").splitlines() if line.strip()]
    wanted = ContextIn(description=request.field("description"), examples=examples)
    try:
        kept, _ = await request.call(request.dictionary.put_context, name, wanted, request.value("etag"))
    except PreconditionFailed as problem:
        if not isinstance(problem.current, ContextEntry):
            raise
        mine = Context(name=name, description=wanted.description, examples=tuple(examples))
        return Outcome(
            where=request.where,
            notice=request.words.message(str(problem)),
            told=_Clash(mine=mine, theirs=problem.current),
        )
    return request.changed(request.words("dictionary.saved", term=kept.name), kept.last_change, f"open-{kept.name}")


async def delete_context(request: TabRequest) -> Outcome:
    """Delete a context."""
    name = request.value("name")
    gone = await request.call(request.dictionary.delete_context, name, request.value("etag"))
    return request.changed(request.words("dictionary.context.deleted", name=name), gone.change, "tab-contexts")
