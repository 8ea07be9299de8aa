"""The tab of candidates: what was mined from the documents, with its evidence on the page, to publish or reject."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.dictionary import Candidate, ChosenDrafts, ContextEntry, Evidence, PlacedEvidence, SenseEntry
from contracts.errors import GoldenError, NotFound
from contracts.jargon import SenseState
from serving.dictionary.preconditions import PreconditionFailed
from serving.dictionary.requests import DraftsIn, SenseIn
from ui.dictionary import pieces
from ui.dictionary.meaning_form import Clash, fields_in, meaning_in, render_form
from ui.dictionary.tabs import Outcome, TabAction, TabRequest, given
from ui.html import Attribute, Safe, element
from ui.page_picture import link_to_file, render_sheet
from ui.words import Words

_PAGE = 20
_LISTED = 100
_EDITED = "edit"
_USUAL_SCORE = "0.9"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """The evidence of the candidate that is open, and the page of the one that is looked at."""

    evidence: tuple[PlacedEvidence, ...] = ()
    at: int = 0
    picture: Safe | None = None
    document: Safe | None = None


class CandidatesTab:
    """Candidates."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab."""
        return {
            "filter_candidates": _filter,
            "look": _look,
            "change": _change,
            "publish": _publish,
            "reject": _reject,
            "save_candidate": _save,
            "above": _above,
            "publish_above": _publish_above,
        }

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render the list, and the open one with its evidence; the first one is open where none is named."""
        words, where = request.words, request.where
        found, contexts = await asyncio.gather(
            request.call(request.dictionary.candidates, text=where.text, limit=_PAGE, offset=where.start),
            request.call(request.dictionary.contexts),
        )
        number = where.opened.removeprefix(_EDITED)
        opened = next((each for each in found.items if str(each.sense.id) == number), None)
        opened = opened or next(iter(found.items), None)
        looked = await _looked(request, opened) if opened is not None else _Looked()
        choice = told if isinstance(told, ChosenDrafts) else None
        clash = told if isinstance(told, Clash) else None
        filter_field = pieces.line(words("dictionary.filter"), "text", where.text, type="search",
                                   data_live="filter_candidates", data_key="filter")  # fmt: skip
        tools = element("div", element("div", filter_field, class_="toolbar", data_form=True, role="search"),
                        _above_form(words, where.score), class_="candidate-tools")  # fmt: skip
        if not found.items:
            none = element("p", words("dictionary.candidates.none"), class_="card quiet")
            return element("div", tools, _chosen(words, choice, where.score), none)
        items = [_item(request, each, each is opened, looked, contexts, clash) for each in found.items]
        pager = pieces.pager(words, start=where.start, shown=len(items), total=found.total, page=_PAGE)
        return element("div", tools, _chosen(words, choice, where.score),
                       element("ul", *items, class_="rows candidates listing"), pager)  # fmt: skip


async def _looked(request: TabRequest, candidate: Candidate) -> _Looked:
    try:
        evidence = await request.call(request.dictionary.evidence, candidate.sense.id)
    except NotFound:
        # Somebody published or rejected it between two requests.
        evidence = tuple(PlacedEvidence(**dict(each)) for each in candidate.evidence)
    at = min(request.where.evidence, max(0, len(evidence) - 1))
    chosen = evidence[at] if evidence else None
    if chosen is None or not chosen.document_id:
        return _Looked(evidence=evidence, at=at)
    try:
        actor = await request.visit.actor("ask")
        sheet = await request.visit.services.documents.sheet(actor, chosen.document_id, chosen.page)
    except GoldenError:
        return _Looked(evidence=evidence, at=at)
    prefix = request.visit.prefix
    key = f"evidence-{candidate.sense.id}-{at}"
    picture = render_sheet(sheet, chosen.boxes, request.words, prefix=prefix, key=key)
    return _Looked(
        evidence=evidence, at=at, picture=picture, document=link_to_file(sheet, request.words, prefix=prefix)
    )


def _above_form(words: Words, score: str) -> Safe:
    return element(
        "div",
        pieces.line(words("dictionary.candidates.least"), "score", score or _USUAL_SCORE, type="number", min="0",
                    max="1", step="0.05", inputmode="decimal"),
        pieces.button(words("dictionary.candidates.preview"), "above", data_submit=True),
        class_="toolbar",
        data_form=True,
    )  # fmt: skip


def _chosen(words: Words, choice: ChosenDrafts | None, score: str) -> Safe | None:
    """Render which candidates a score would publish, and the button that does it."""
    if choice is None:
        return None
    clear, kept = len(choice.published), len(choice.kept)
    said = [words.count("dictionary.candidates.would", clear)]
    if kept:
        said.append(words.count("dictionary.candidates.kept", kept))
    publish = pieces.button(words.count("dictionary.candidates.publish_many", clear), "publish_above", class_="primary",
                            data_score=score) if clear else None  # fmt: skip
    every = None
    if kept:
        every = pieces.button(words.count("dictionary.candidates.publish_all", clear + kept), "publish_above",
                              data_score=score, data_conflicts="1",
                              data_confirm=words("dictionary.candidates.all_sure"))  # fmt: skip
    listed = [element("li", pieces.meaning_line(words, each.sense), " ", _score(words, each.score),
                      pieces.contradicted(words, each.conflicts))
              for each in (*choice.published, *choice.kept)[:_LISTED]]  # fmt: skip
    cancel = pieces.button(words("dictionary.cancel"), "close", data_cancel=True)
    return element(
        "div",
        element("p", " ".join(said)),
        element("ul", *listed, class_="chosen") if listed else None,
        element("p", words.count("dictionary.candidates.further", clear + kept - _LISTED), class_="quiet")
        if clear + kept > _LISTED else None,
        element("div", publish, every, cancel, class_="buttons"),
        class_="card",
        role="region",
        aria_label=words("dictionary.candidates.preview"),
    )  # fmt: skip


def _item(
    request: TabRequest,
    candidate: Candidate,
    is_open: bool,
    looked: _Looked,
    contexts: Sequence[ContextEntry],
    clash: Clash | None,
) -> Safe:
    words, sense = request.words, candidate.sense
    values: dict[str, Attribute] = {"data_id": sense.id, "data_etag": sense.etag}
    term = pieces.button(sense.term, "look", class_="term", data_id=sense.id, data_key=f"open-{sense.id}",
                         data_row=True, aria_expanded="true" if is_open else "false")  # fmt: skip
    head = element(
        "div",
        term,
        element("span", sense.extended_name, " ", _score(words, candidate.score), class_="name"),
        element(
            "span",
            pieces.button(words("dictionary.candidates.publish"), "publish", class_="primary", **values),
            pieces.button(words("dictionary.candidates.change"), "change", data_id=sense.id),
            pieces.button(words("dictionary.candidates.reject"), "reject", class_="danger", **values),
            class_="does",
        ),
        class_="candidate",
    )
    rest = [pieces.contradicted(words, candidate.conflicts)]
    if is_open:
        rest.append(_form(request, sense, contexts, clash))
        rest.append(element("p", sense.description, class_="quiet") if sense.description else None)
        rest.append(_evidence(words, sense, looked))
    return element("li", head, *rest, data_key=f"candidate-{sense.id}", class_="open" if is_open else None)


def _form(request: TabRequest, sense: SenseEntry, contexts: Sequence[ContextEntry], clash: Clash | None) -> Safe | None:
    if request.where.opened != f"{_EDITED}{sense.id}":
        return None
    clashing = clash if clash is not None and clash.mine.id == sense.id else None
    shown, etag = (sense, sense.etag) if clashing is None else (clashing.mine, "")
    if clashing is not None and clashing.theirs is not None:
        etag = clashing.theirs.etag
    return render_form(request.words, shown, contexts, key=f"{sense.id}-{sense.etag}", etag=etag, save="save_candidate",
                       save_text=request.words("dictionary.candidates.save"), with_state=False,
                       clash=clashing)  # fmt: skip


def _evidence(words: Words, sense: SenseEntry, looked: _Looked) -> Safe:
    places = [_place(words, sense, each, number, number == looked.at) for number, each in enumerate(looked.evidence)]
    picture = looked.picture or element("p", words("dictionary.candidates.no_picture"), class_="quiet")
    shown = element("div", picture, looked.document, class_="evidence-page") if looked.evidence else None
    listed = element("ol", *places, class_="evidence") if places else element(
        "p", words("dictionary.candidates.no_evidence"), class_="quiet")  # fmt: skip
    return element("div", listed, shown, class_="looked")


def _place(words: Words, sense: SenseEntry, evidence: Evidence, number: int, is_current: bool) -> Safe:
    where = words("dictionary.candidates.place", document=evidence.document, page=evidence.page)
    return element(
        "li",
        element("blockquote", evidence.sentence, dir="auto"),
        pieces.button(where, "look", data_id=sense.id, data_evidence=number, class_="place",
                      aria_pressed="true" if is_current else "false"),
        " ",
        _score(words, evidence.score),
    )  # fmt: skip


def _score(words: Words, score: float) -> Safe:
    return element("span", words("dictionary.candidates.score", score=words.number(score, 2)), class_="score")


async def _filter(request: TabRequest) -> Outcome:
    return Outcome(where=request.where.at("candidates", text=request.action.fields.get("text", "")))


async def _look(request: TabRequest) -> Outcome:
    number = request.action.number("id")
    evidence = max(0, request.action.number("evidence"))
    return Outcome(where=request.where.to(opened=str(number), evidence=evidence))


async def _change(request: TabRequest) -> Outcome:
    number = request.action.number("id")
    meaning = await request.call(request.dictionary.sense, number)
    where = request.where.to(opened=f"{_EDITED}{number}", evidence=0)
    return Outcome(where=where, focus=f"first-{number}-{meaning.etag}")


async def _publish(request: TabRequest) -> Outcome:
    return await _set_state(request, "published", "dictionary.candidates.published")


async def _reject(request: TabRequest) -> Outcome:
    return await _set_state(request, "rejected", "dictionary.candidates.rejected")


async def _set_state(request: TabRequest, state: SenseState, said: str) -> Outcome:
    number, etag = request.action.number("id"), request.action.values.get("etag", "")
    try:
        kept = await request.call(request.dictionary.set_state, number, state, etag)
    except PreconditionFailed as problem:
        # What is there now is shown; whoever wants it so asks again.
        return Outcome(where=request.where, notice=str(problem))
    where = request.where.to(opened="", evidence=0, undo=str(kept.last_change or ""))
    return Outcome(where=where, notice=request.words(said, term=kept.term), focus="filter")


async def _save(request: TabRequest) -> Outcome:
    number, fields = request.action.number("id"), request.action.fields
    try:
        wanted = given(SenseIn, {**fields_in(fields), "state": "published"})
        kept = await request.call(request.dictionary.edit_sense, number, wanted, request.action.values.get("etag", ""))
    except PreconditionFailed as problem:
        clash = Clash.of(meaning_in(number, fields), problem)
        return Outcome(where=request.where, notice=str(problem), told=clash)
    where = request.where.to(opened="", evidence=0, undo=str(kept.last_change or ""))
    return Outcome(where=where, notice=request.words("dictionary.candidates.published", term=kept.term), focus="filter")


async def _above(request: TabRequest) -> Outcome:
    score = request.field("score")
    wanted = given(DraftsIn, {"min_score": _number(score), "preview": True})
    choice = await request.call(request.dictionary.publish_drafts, wanted)
    return Outcome(where=request.where.to(score=score, opened=""), told=choice)


async def _publish_above(request: TabRequest) -> Outcome:
    values = request.action.values
    fields = {"min_score": _number(values.get("score", "")), "with_conflicts": values.get("conflicts") == "1"}
    done = await request.call(request.dictionary.publish_drafts, given(DraftsIn, fields))
    undo = f"b{done.change}" if done.change else ""
    said = request.words.count("dictionary.candidates.done", len(done.published))
    return Outcome(where=request.where.to(opened="", start=0, undo=undo), notice=said, focus="filter")


def _number(text: str) -> float:
    """Return a score that somebody typed; what is none is refused."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return -1.0
