"""The review page: its views and the actions on them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, fields, replace
from time import perf_counter
from typing import Any

from markupsafe import Markup

from contracts.answer import AnswerReady, Step, StepFinished, StepStarted
from contracts.case_runs import RunDetails
from contracts.records import CONCERNS, Replay, ReviewFilter, ReviewState
from library.records.cases import suggested_fields
from serving.records.bodies import CaseFields
from serving.records.service import RecordsService
from serving.routing import version_in
from ui.pages import Action, Place, Shown, Visit, checked
from ui.review import views

TABS = ("queue", "cases", "runs")
STATES = ("open", "resolved", "ignored", "any")
_PAGE = 25
_QUESTION_SHOWN = 300
_DECISIONS: dict[str, ReviewState] = {"resolve": "resolved", "ignore": "ignored", "reopen": "open"}
_RUNS_SHOWN = 40
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place. ``turn``, ``case`` and ``run`` are the ids of the open items, "" for none; the rest filters the turns.

    ``new_case`` means that the form for a test case of ``turn`` is open.
    """

    tab: str = "queue"
    concern: str = ""
    state: str = "open"
    certainty_below: str = ""
    first_day: str = ""
    last_day: str = ""
    after: str = ""
    turn: str = ""
    new_case: str = ""
    case: str = ""
    run: str = ""

    @classmethod
    def of(cls, place: Mapping[str, str]) -> "Where":
        """Return the place that an address names; invalid parameters are ignored."""
        known = {each.name for each in fields(cls)}
        where = cls(**{name: value[:1_000] for name, value in place.items() if name in known})
        return replace(
            where,
            tab=where.tab if where.tab in TABS else "queue",
            concern=where.concern if where.concern in CONCERNS else "",
            state=where.state if where.state in STATES else "open",
            turn=_id(where.turn),
            case=_id(where.case),
            run=_id(where.run),
        )

    def to(self, **changed: str) -> "Where":
        return replace(self, **changed)

    def place(self) -> dict[str, str]:
        """Return the parameters of the address, without default values."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}

    def wanted(self) -> ReviewFilter:
        """Return which turns are listed. Raises ``InvalidInput`` if a day or the certainty is not valid."""
        asked: dict[str, Any] = {"first_day": self.first_day, "last_day": self.last_day}
        if self.concern:
            asked["concerns"] = (self.concern,)
        if self.certainty_below:
            asked["certainty_below"] = self.certainty_below
        return checked(ReviewFilter, {**asked, "state": None if self.state == "any" else self.state})


class ReviewPage:
    """The page on which reviewers check answers."""

    name = "review"
    scope = "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        return await _Request(visit=visit, where=Where.of(place)).shown()

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        request = _Request(visit=visit, where=Where.of(place), action=action)
        match action.name:
            case "replay":
                async for shown in request.replay():
                    yield shown
            case "follow":
                async for shown in request.follow():
                    yield shown
            case _:
                yield await request.done()


@dataclass(frozen=True, kw_only=True)
class _Request:
    """One request of a browser: the current place and the requested action."""

    visit: Visit
    where: Where
    action: Action = field(default_factory=lambda: Action(name=""))

    @property
    def service(self) -> RecordsService:
        return self.visit.services.records

    def at(self, where: Where) -> "_Request":
        return replace(self, where=where)

    def _id(self, name: str) -> str:
        return str(getattr(Where.of({name: self.action.values.get(name, "")}), name))

    def _version(self) -> int | None:
        return version_in(self.action.values.get("etag", ""))

    async def done(self) -> Shown:
        """Perform an action that leads to a different place."""
        where, action = self.where, self.action
        match action.name:
            case "tab":
                tab = action.values.get("tab", "")
                return await self.at(Where.of({"tab": tab})).shown(focus=f"tab-{tab}")
            case "go":
                there = Where.of({**where.place(), **action.values})
                return await self.at(there).shown(focus=action.values.get("focus", ""))
            case "filter":
                asked = {
                    name: action.fields.get(name, "") for name in ("state", "first_day", "last_day", "certainty_below")
                }
                return await self.at(Where.of({**where.place(), "after": "", **asked})).shown()
            case _:
                return await self._changed()

    async def _changed(self) -> Shown:
        """Perform an action that changes data."""
        where, action, words, service = self.where, self.action, self.visit.words, self.service
        match action.name:
            case "decide" if (verb := action.values.get("verb", "")) in _DECISIONS:
                decided, note = (self._id("turn"), _DECISIONS[verb]), action.fields.get("note", "")
                await self.visit.call("manage", service.decide, *decided, note=note, version=self._version())
                return await self.at(where.to(new_case="")).shown(words(f"review.done.{verb}"))
            case "save_new":
                given = checked(CaseFields, sent_fields(action.fields)).model_dump(exclude_unset=True)
                await self.visit.call("manage", service.make_case, self._id("turn"), given)
                return await self.at(where.to(new_case="")).shown(words("review.done.made"), focus="make")
            case "save":
                given = checked(CaseFields, sent_fields(action.fields)).model_dump(exclude_unset=True)
                await self.visit.call("manage", service.change_case, self._id("case"), given, version=self._version())
                return await self.at(where.to(case="")).shown(words("review.done.saved"), focus=f"edit-{where.case}")
            case "remove":
                await self.visit.call("manage", service.remove_case, self._id("case"))
                return await self.at(where.to(case="")).shown(words("review.done.removed"))
            case "run":
                run = await service.start_run(await self.visit.actor("manage"))
                here = self.at(Where(tab="runs", run=run.id))
                return await here.shown(words("review.done.run_started"), focus="opened-run")
            case "stop_run":
                await service.cancel_run(await self.visit.actor("manage"), self._id("run"))
                return await self.shown(words("review.done.run_stopped"))
            case _:
                return await self.shown()

    async def replay(self) -> AsyncIterator[Shown]:
        """Ask an open turn's question again, showing each step as it comes."""
        visit, service, actor = self.visit, self.service, await self.visit.actor("manage")
        here = self.at(self.where.to(turn=self._id("turn") or self.where.turn, new_case=""))
        turn = await asyncio.to_thread(service.turn, actor, here.where.turn)
        steps: list[Step] = []
        running, begun = "", perf_counter()

        def show(below: Markup) -> Shown:
            return here._whole(views.render(visit, "turn", turn=turn, below=below), turn.question)

        def replaying() -> Markup:
            node = running or (steps[-1].node if steps else "")
            return views.render(visit, "replay_progress", steps=steps, running=node)

        yield show(replaying())
        async with self.visit.question(), aclosing(await service.replay(actor, turn.id)) as events:
            async for event in events:
                match event:
                    case AnswerReady(answer=answer):
                        seconds = perf_counter() - begun
                        now = Replay(turn=turn.id, answer=answer, seconds=seconds, engine=service.engine_name)
                        shown = show(views.render_replay(visit, turn, now))
                        yield replace(shown, focus="replayed", notice=visit.words("review.done.replayed"))
                        return
                    case StepStarted(node=node):
                        running = node
                    case StepFinished(step=step):
                        steps.append(step)
                    case _:
                        continue
                yield show(replaying())

    async def follow(self) -> AsyncIterator[Shown]:
        """Show the open run whenever it has made progress, until it ends; it may belong to another process."""
        last: RunDetails | None = None
        while last is None or not last.is_over:
            run = await self.visit.call("manage", self.service.run, self.where.run)
            if run == last:
                await asyncio.sleep(_LOOK_S)
                continue
            last = run
            yield await self.shown(self.visit.words("review.done.run_finished") if run.state == "done" else "")

    async def shown(self, notice: str = "", *, focus: str = "") -> Shown:
        where, words = self.where, self.visit.words
        if where.turn:
            shown = await self._turn()
        elif where.tab == "cases":
            shown = self._whole(await self._cases(), words("review.tab.cases"))
        elif where.tab == "runs":
            shown = self._whole(await self._runs(), words("review.tab.runs"))
        else:
            wanted = where.wanted()
            page = await self.visit.call("manage", self.service.review, wanted, after=where.after, limit=_PAGE)
            totals = await self.visit.call("manage", self.service.review_totals, wanted)
            concerns = [("", None), *((each, totals.get(each, 0)) for each in CONCERNS)]
            content = views.render(
                self.visit, "list", page=page, concerns=concerns, where=where, states=STATES, shown=_QUESTION_SHOWN
            )
            shown = self._whole(content, words("nav.review"))
        return replace(shown, notice=notice, focus=focus)

    async def _turn(self) -> Shown:
        words = self.visit.words
        turn = await self.visit.call("manage", self.service.turn, self.where.turn)
        form = None
        if self.where.new_case:
            fields = suggested_fields(turn, history=[each.question for each in turn.before])
            fields["expect"] = fields["expect"] or "answered"
            form = views.render_form(
                self.visit, fields, title=words("review.new_case"), action="save_new", turn=turn.id
            )
        return self._whole(views.render(self.visit, "turn", turn=turn, below=form), turn.question[:60])

    async def _cases(self) -> Markup:
        words, cases = self.visit.words, (await self.visit.call("manage", self.service.cases))[::-1]
        opened = next((each for each in cases if each.id == self.where.case), None)
        form = None
        if opened is not None:
            title = words("review.edit_case")
            form = views.render_form(
                self.visit, opened.case, title=title, action="save", case=opened.id, etag=opened.etag
            )
        return views.render(self.visit, "cases", cases=cases, form=form, opened=self.where.case)

    async def _runs(self) -> Markup:
        actor = await self.visit.actor("manage")
        opened = await self.visit.call("manage", self.service.run, self.where.run) if self.where.run else None
        runs = await self.visit.call("manage", self.service.runs, limit=_RUNS_SHOWN)
        return views.render_runs(self.visit, runs, groups=actor.groups, opened=opened)

    def _whole(self, content: Markup, title: str) -> Shown:
        html = self.visit.render("review/page.html", where=self.where, tabs=TABS, content=content)
        return Shown(html=html, place=self.where.place(), title=title[:60])


def _id(given: str) -> str:
    return given if given.replace("-", "").isalnum() and given.isascii() and len(given) <= 64 else ""


def sent_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form, unchecked; empty ones are left out."""
    page = fields.get("page", "").strip()
    return {
        "question": fields.get("question", "").strip(),
        "history": _lines(fields.get("history", "")),
        "expect": fields.get("expect", ""),
        "answer": fields.get("answer", "").strip(),
        "accept": _lines(fields.get("accept", "")),
        "document": fields.get("document", "").strip() or None,
        "page": (int(page) if page.isdecimal() and len(page) < 8 else page) if page else None,
        "term": fields.get("term", "").strip() or None,
        "sense": fields.get("sense", "").strip() or None,
        "context": fields.get("context", "").strip() or None,
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
