"""The review desk: its places, and what a person does on them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from ui.answer_wire import Step
from ui.html import Safe, element
from ui.pages import Action, Place, Shown, Visit
from ui.review.api import ReviewApi
from ui.review.cases import fields_of, render_cases, render_form, sent_fields
from ui.review.listing import render_list, render_tabs
from ui.review.runs import render_runs
from ui.review.turn import render_replay, render_replaying, render_turn
from ui.review.where import Where
from ui.review.wire import Said

_VERBS = ("resolve", "ignore", "reopen")


class ReviewPage:
    """The page of whoever looks at answers again."""

    @property
    def name(self) -> str:
        """Its name, and its path."""
        return "review"

    @property
    def scope(self) -> str:
        """Managing."""
        return "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        """Show a place of the desk."""
        return await _Errand(visit=visit, where=Where.of(place)).shown()

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        """Do what is asked, and show what is there then."""
        errand = _Errand(visit=visit, where=Where.of(place), action=action)
        match action.name:
            case "replay":
                async for shown in errand.replay():
                    yield shown
            case "follow":
                async for shown in errand.follow():
                    yield shown
            case _:
                yield await errand.done()


@dataclass(frozen=True, kw_only=True)
class _Errand:
    """One request of a browser, on its way through the desk."""

    visit: Visit
    where: Where
    action: Action = field(default_factory=lambda: Action(name=""))

    @property
    def api(self) -> ReviewApi:
        return ReviewApi(self.visit.session)

    def at(self, where: Where) -> "_Errand":
        return replace(self, where=where)

    def _id(self, name: str) -> str:
        return str(getattr(Where.of({name: self.action.values.get(name, "")}), name))

    async def done(self) -> Shown:
        """Do what leads from one place to another."""
        where, action = self.where, self.action
        listed = where.to(turn="", making="", case="", run="")
        match action.name:
            case "tab":
                tab = action.values.get("tab", "")
                return await self.at(Where.of({"tab": tab})).shown(focus=f"tab-{tab}")
            case "concern":
                concern = action.values.get("concern", "")
                return await self.at(Where.of(listed.to(concern=concern, after="").place())).shown()
            case "filter":
                chosen = {name: action.fields.get(name, "") for name in
                          ("state", "first_day", "last_day", "certainty_below")}  # fmt: skip
                return await self.at(Where.of(listed.to(after="", **chosen).place())).shown()
            case "page":
                return await self.at(listed.to(after=action.values.get("after", ""))).shown(focus="count")
            case "turn":
                return await self.at(where.to(turn=self._id("turn"), making="", case="", run="")).shown(focus="back")
            case "back":
                return await self.at(listed).shown(focus=f"turn-{where.turn}")
            case "open_run":
                return await self.at(where.to(run=self._id("run"))).shown(focus="opened-run")
            case "make":
                return await self.at(where.to(turn=self._id("turn"), making="case")).shown(focus="case-form")
            case "edit":
                return await self.at(where.to(case=self._id("case"))).shown(focus="case-form")
            case "cancel_form":
                return await self.at(where.to(making="", case="")).shown(focus="make" if where.making else "")
            case _:
                return await self._changed()

    async def _changed(self) -> Shown:
        """Do what changes something."""
        where, action, words = self.where, self.action, self.visit.words
        match action.name:
            case "decide" if action.values.get("verb") in _VERBS:
                verb, note = action.values["verb"], action.fields.get("note", "")
                await self.api.decide(self._id("turn"), verb, note, action.values.get("etag", ""))
                return await self.at(where.to(making="")).shown(words(f"review.done.{verb}"))
            case "save_new":
                await self.api.make_case(self._id("turn"), sent_fields(action.fields))
                return await self.at(where.to(making="")).shown(words("review.done.made"), focus="make")
            case "save":
                await self.api.change_case(self._id("case"), sent_fields(action.fields), action.values.get("etag", ""))
                return await self.at(where.to(case="")).shown(words("review.done.saved"), focus=f"edit-{where.case}")
            case "remove":
                await self.api.remove_case(self._id("case"))
                return await self.at(where.to(case="")).shown(words("review.done.removed"))
            case "run":
                run = await self.api.run()
                return await self.at(Where(tab="runs", run=run.id)).shown(
                    words("review.done.begun"), focus="opened-run"
                )
            case "stop_run":
                await self.api.cancel(self._id("run"))
                return await self.shown(words("review.done.stopped"))
            case _:
                return await self.shown()

    async def replay(self) -> AsyncIterator[Shown]:
        """Ask an open turn's question again, showing each step as it comes."""
        words, path = self.visit.words, self.visit.path
        here = self.at(self.where.to(turn=self._id("turn") or self.where.turn, making=""))
        turn = await self.api.turn(here.where.turn)
        steps: list[Step] = []
        running = ""
        yield here._whole(render_turn(turn, words, path, below=render_replaying(steps, running, words)), turn.question)
        async for told in self.api.replay(turn.id):
            if isinstance(told, Said):
                replayed = render_turn(turn, words, path, below=render_replay(turn, told, words, path))
                yield replace(
                    here._whole(replayed, turn.question), focus="replayed", notice=words("review.done.replayed")
                )
                return
            if isinstance(told, Step):
                steps.append(told)
            else:
                running = told
            below = render_replaying(steps, running, words)
            yield here._whole(render_turn(turn, words, path, below=below), turn.question)

    async def follow(self) -> AsyncIterator[Shown]:
        """Show the open run whenever it goes on."""
        async for run in self.api.watch(self.where.run):
            yield await self.shown(self.visit.words("review.done.run") if run.state == "done" else "")

    async def shown(self, notice: str = "", *, focus: str = "") -> Shown:
        """Show this place."""
        where = self.where
        if where.turn:
            shown = await self._turn()
        elif where.tab == "cases":
            shown = self._whole(await self._cases(), self.visit.words("review.tab.cases"))
        elif where.tab == "runs":
            shown = self._whole(await self._runs(), self.visit.words("review.tab.runs"))
        else:
            page, totals = await self.api.page(where), await self.api.totals(where)
            shown = self._whole(render_list(page, totals, where, self.visit.words), self.visit.words("nav.review"))
        return replace(shown, notice=notice, focus=focus)

    async def _turn(self) -> Shown:
        words = self.visit.words
        turn = await self.api.turn(self.where.turn)
        form = None
        if self.where.making:
            form = render_form(fields_of(turn), words, title=words("review.new_case"), action="save_new", turn=turn.id)
        return self._whole(render_turn(turn, words, self.visit.path, below=form), turn.question[:60])

    async def _cases(self) -> Safe:
        words, cases = self.visit.words, await self.api.cases()
        opened = next((each for each in cases if each.id == self.where.case), None)
        form = None
        if opened is not None:
            form = render_form(opened.case, words, title=words("review.edit_case"), action="save", case=opened.id,
                               etag=opened.etag)  # fmt: skip
        return render_cases(cases, words, self.visit.path, form=form, opened=self.where.case)

    async def _runs(self) -> Safe:
        me = await self.visit.me()
        opened = await self.api.results(self.where.run) if self.where.run else None
        return render_runs(await self.api.runs(), self.visit.words, groups=me.groups, opened=opened)

    def _whole(self, content: Safe, title: str) -> Shown:
        words = self.visit.words
        head = None
        if not self.where.turn:
            head = element("div", element("h1", words("review.title")), render_tabs(self.where, words))
        html = element("div", head, content, class_="review")
        return Shown(html=html, place=self.where.place(), title=title[:60])
