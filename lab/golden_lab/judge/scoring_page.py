"""The scoring desk: a person scores the answers of a gold set one by one, not knowing which system answered."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import gradio as gr

from contracts.errors import GoldenError
from contracts.grading import CRITERIA, HIGHEST_GRADE, LOWEST_GRADE, GoldItem, Rubric
from ui.html import Safe, element, join
from ui.style import STATIC, build_theme, read_static
from ui.words import words_in

# Writes one item into its file, wholly or not at all. Raises GoldenError or OSError, whose text the person reads.
Save = Callable[[GoldItem], None]

_TITLE = "Scoring desk"
_LEAD = "You do not see which system answered. Score what you read; every score is saved at once."
_QUESTION, _PASSAGE, _ANSWER, _REFERENCE = "Question", "Passage", "Answer to score", "Reference answer"
_NO_PASSAGE, _NO_ANSWER = "There is no passage.", "The answer is empty."
_EXPLANATION = "Why? In a sentence or two: this is what the judge learns from."
_PREVIOUS, _NEXT, _NEXT_UNSCORED = "Previous", "Next", "Next unscored"
_ALL_SCORED = "Every answer has its scores."
_MAX_EXPLANATION_CHARACTERS = 20_000


class ScoringDesk:
    """Holds a gold set while people score it. Thread-safe; what could not be saved is not held either."""

    def __init__(self, items: Sequence[GoldItem], save: Save) -> None:
        self._items = list(items)
        self._save = save
        self._lock = threading.Lock()

    @property
    def items(self) -> tuple[GoldItem, ...]:
        """The items with the scores they have now."""
        with self._lock:
            return tuple(self._items)

    @property
    def scored(self) -> int:
        """How many items have all their scores."""
        return sum(item.scored for item in self.items)

    def place(self, wanted: object) -> int:
        """Return ``wanted`` as the place of an item: within the set, 0 for what is no number."""
        at = int(wanted) if isinstance(wanted, int | float) and wanted == wanted else 0
        return max(0, min(at, len(self._items) - 1))

    def next_unscored(self, after: int) -> int | None:
        """Return the next place behind ``after``, and then from the start, that lacks a score; None where none does."""
        items = self.items
        order = [*range(after + 1, len(items)), *range(0, after + 1)]
        return next((at for at in order if not items[at].scored), None)

    def put(self, at: int, given: Mapping[str, object]) -> bool:
        """Save what is ``given`` for item ``at``: scores by criterion, "explanation"; False: nothing changed.

        Raises:
            GoldenError, OSError: it could not be saved.
        """
        with self._lock:
            before = self._items[at]
            scores = {name: as_grade(given[name]) if name in given else before.score(name) for name in CRITERIA}
            explanation = str(given.get("explanation", before.explanation) or "")
            after = before.model_copy(
                update={
                    "relevance": scores["relevance"],
                    "faithfulness": scores["faithfulness"],
                    "completeness": scores["completeness"],
                    "explanation": explanation[:_MAX_EXPLANATION_CHARACTERS],
                }
            )
            if after == before:
                return False
            self._save(after)
            self._items[at] = after
            return True


def as_grade(value: object) -> int | None:
    """Return what a browser sent as a grade of 1 to 5, else None."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if LOWEST_GRADE <= value <= HIGHEST_GRADE else None


def build_scoring_ui(items: Sequence[GoldItem], save: Save, rubrics: Sequence[Rubric], *, name: str = "") -> gr.Blocks:
    """Build the page that scores ``items``; ``mount_scoring`` puts it on a web application.

    ``save`` writes one item (blocking; called in a thread). ``rubrics`` are those of ``CRITERIA``, in their order.
    ``name`` of the set stands at the top.

    Raises:
        ValueError: there are no items, or the rubrics are others.
    """
    if not items:
        raise ValueError("there is nothing to score")
    if tuple(rubric.criterion for rubric in rubrics) != CRITERIA:
        raise ValueError(f"a rubric for each of {', '.join(CRITERIA)} is needed, in this order")
    desk = ScoringDesk(items, save)
    with gr.Blocks(title=f"{_TITLE} · {words_in('')('frame.title')}", analytics_enabled=False, fill_width=True) as page:
        with gr.Row(elem_id="top"):
            gr.HTML(_brand(name), elem_id="brand", js_on_load=None)
            progress = gr.HTML("", elem_id="progress", js_on_load=None)
        # The browser sends the place along with the scores: a late event must not score the answer that follows.
        at = gr.Number(0, visible=False, precision=0)
        # What is shown, as the server knows it: a save that comes late must not say that the person is still there.
        place = gr.State(0)
        with gr.Row(elem_id="scoring"):
            shown = gr.HTML("", elem_id="reading", js_on_load=None, apply_default_css=False)
            with gr.Column(elem_id="scores"):
                notice = gr.HTML("", elem_id="refusal", js_on_load=None, apply_default_css=False)
                radios = [_radio(rubric) for rubric in rubrics]
                explanation = gr.Textbox(label=_EXPLANATION, lines=3, max_lines=8, elem_id="explanation")
                with gr.Row(elem_id="moves"):
                    previous = gr.Button(_PREVIOUS, elem_id="previous")
                    following = gr.Button(_NEXT, elem_id="next")
                    unscored = gr.Button(_NEXT_UNSCORED, elem_id="next-unscored", variant="primary")
        handlers = _Handlers(desk)
        given = [at, *radios, explanation]
        whole = [at, place, shown, *radios, explanation, progress, notice]
        # One after the other, in the order in which they come: an earlier score must not be written over a later one.
        options: dict[str, Any] = {
            "api_visibility": "private", "show_progress": "hidden", "concurrency_id": "scoring", "concurrency_limit": 1,
        }  # fmt: skip
        page.load(handlers.load, None, whole, **options)
        # Only the part that changed is sent, and always: clicks come faster than they are saved.
        for criterion, radio in zip(CRITERIA, radios, strict=True):
            radio.input(
                handlers.saving(criterion), [at, place, radio], [progress, notice], trigger_mode="multiple", **options
            )
        explanation.blur(
            handlers.saving("explanation"), [at, place, explanation], [progress, notice], trigger_mode="multiple",
            **options,
        )  # fmt: skip
        previous.click(handlers.previous, given, whole, **options)
        following.click(handlers.following, given, whole, **options)
        unscored.click(handlers.unscored, given, whole, **options)
    return page  # type: ignore[no-any-return]  # Gradio's types are not read


def mount_scoring(web: Any, page: gr.Blocks, path: str = "/") -> Any:
    """Mount the scoring desk on a FastAPI application with its looks; return the application."""
    return gr.mount_gradio_app(
        web,
        page,
        path=path,
        theme=build_theme(),
        css=read_static("frame.css") + read_static("chat.css") + read_static("scoring.css"),
        favicon_path=str(STATIC / "favicon.svg"),
        footer_links=[],
        ssr_mode=False,
        show_error=True,
    )


class _Handlers:
    """What the page's events do. Gradio calls each by its signature: place, a grade a criterion, the explanation."""

    def __init__(self, desk: ScoringDesk) -> None:
        self._desk = desk

    async def load(self) -> tuple[Any, ...]:
        """Show the first answer that is not scored yet."""
        return self._shown(self._desk.next_unscored(-1) or 0, saved=None)

    def saving(self, name: str) -> Callable[[Any, Any, Any], Awaitable[tuple[str, str]]]:
        """Return what saves one part of the page: the score under a criterion, or the explanation."""

        async def save(at: Any, place: Any, value: Any) -> tuple[str, str]:
            refusal = await self._put(at, {name: value})
            progress = render_progress(self._desk, self._desk.place(place), saved=not refusal)
            return str(progress), str(render_notice(refusal))

        return save

    async def previous(self, at: Any, *given: Any) -> tuple[Any, ...]:
        """Save, and show the answer before."""
        return await self._moved(at, given, lambda here: here - 1)

    async def following(self, at: Any, *given: Any) -> tuple[Any, ...]:
        """Save, and show the next answer."""
        return await self._moved(at, given, lambda here: here + 1)

    async def unscored(self, at: Any, *given: Any) -> tuple[Any, ...]:
        """Save, and show the next answer that is not scored yet."""
        return await self._moved(at, given, self._desk.next_unscored)

    async def _moved(self, at: Any, given: Sequence[Any], where: Callable[[int], int | None]) -> tuple[Any, ...]:
        refusal = await self._put(at, dict(zip((*CRITERIA, "explanation"), given, strict=True)))
        here = self._desk.place(at)
        if refusal:
            # What could not be saved stays on the page.
            progress = str(render_progress(self._desk, here, saved=False))
            return here, here, gr.skip(), *given, progress, str(render_notice(refusal))
        wanted = where(here)
        if wanted is None:
            return self._shown(here, saved=True, notice=_ALL_SCORED)
        return self._shown(self._desk.place(wanted), saved=True)

    async def _put(self, at: Any, given: Mapping[str, Any]) -> str:
        """Save; return "" or why it could not be saved."""
        try:
            await asyncio.to_thread(self._desk.put, self._desk.place(at), given)
        except (GoldenError, OSError) as error:
            return f"Not saved. {error}"
        return ""

    def _shown(self, at: int, *, saved: bool | None, notice: str = "") -> tuple[Any, ...]:
        item = self._desk.items[at]
        scores = [item.score(criterion) for criterion in CRITERIA]
        progress = str(render_progress(self._desk, at, saved=saved))
        return at, at, str(render_item(item)), *scores, item.explanation, progress, str(render_notice(notice))


def render_notice(text: str) -> Safe:
    """Return what the person must know, or nothing."""
    return element("p", text, class_="notice", role="alert") if text else Safe("")


def render_item(item: GoldItem) -> Safe:
    """Return what is scored: question, answer and passage, and the reference where there is one; not the system."""
    parts = [
        element("div", element("h2", _QUESTION), element("p", item.question), class_="asked-of"),
        element("div", element("h2", _ANSWER), _text(item.answer, _NO_ANSWER), class_="answered"),
        element("div", element("h2", _PASSAGE), _text(item.passage, _NO_PASSAGE), class_="held-against"),
    ]
    if item.reference.strip():
        parts.append(element("div", element("h2", _REFERENCE), _text(item.reference, ""), class_="reference"))
    return element("article", *parts, class_="item")


def render_progress(desk: ScoringDesk, at: int, *, saved: bool | None) -> Safe:
    """Return where the person is and how much is done; ``saved`` None: nothing was to be saved."""
    total, scored = len(desk.items), desk.scored
    said = {None: "", True: "Saved", False: "Not saved"}[saved]
    words = f"Answer {at + 1} of {total} · {scored} scored"
    state = element("span", said, class_="state bad" if saved is False else "state", role="status")
    bar = element("progress", value=scored, max=total, aria_label=f"{scored} of {total} scored")
    return element("div", element("span", words, class_="count"), bar, state, class_="progress")


def _text(text: str, instead: str) -> Safe:
    return element("div", text, class_="text") if text.strip() else element("p", instead, class_="quiet")


def _brand(name: str) -> Safe:
    words = element("div", element("h1", join([_TITLE, f" · {name}" if name else None])), element("p", _LEAD))
    return element("div", element("span", class_="dot", aria_hidden="true"), words, class_="brand")


def _radio(rubric: Rubric) -> gr.Radio:
    choices = [(f"{grade} · {rubric.levels[grade - 1]}", grade) for grade in range(HIGHEST_GRADE, LOWEST_GRADE - 1, -1)]
    label = f"{rubric.criterion.capitalize()}: {rubric.asks}"
    return gr.Radio(choices, value=None, label=label, elem_id=rubric.criterion, elem_classes="criterion")
