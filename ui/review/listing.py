"""The list of what somebody should look at: filters with counts, and a card for each turn."""

from collections.abc import Mapping

from contracts.records import CONCERNS, Concern, ReviewPage, ReviewTurn
from ui.html import Safe, element, join
from ui.review.where import STATES, TABS, Where
from ui.words import Words

_QUESTION_SHOWN = 300


def render_tabs(where: Where, words: Words) -> Safe:
    """Render the page's three parts."""
    buttons = [
        element("button", words(f"review.tab.{each}"), type="button", data_action="tab", data_tab=each,
                data_key=f"tab-{each}", aria_current="page" if each == where.tab else None)
        for each in TABS
    ]  # fmt: skip
    return element("nav", *buttons, class_="parts", aria_label=words("review.parts"))


def render_list(page: ReviewPage, totals: Mapping[Concern, int], where: Where, words: Words) -> Safe:
    """Render the filters and the turns."""
    count = element("p", words.count("review.found", page.total), class_="quiet", data_key="count")
    if not page.items:
        cards = element("p", words("review.nothing"), class_="card")
    else:
        cards = element("ol", *(_card(each, words) for each in page.items), class_="turns")
    pages = [
        element("button", words("review.first_page"), type="button", data_action="page", data_after="")
        if where.after else None,
        element("button", words("review.next_page"), type="button", data_action="page", data_after=page.next)
        if page.next else None,
    ]  # fmt: skip
    return element("div", _concerns(totals, where, words), _filters(where, words), count, cards,
                   element("div", join(pages), class_="row"))  # fmt: skip


def concern_tags(turn: ReviewTurn, words: Words) -> Safe:
    """Render why a turn is to be reviewed."""
    return join([element("span", words(f"review.concern.{each}"), class_=f"tag {each}")
                 for each in turn.concerns], " ")  # fmt: skip


def asked_line(turn: ReviewTurn, words: Words) -> str:
    """Write who asked when, and which way."""
    who = turn.who or words("review.somebody")
    said = words("review.asked_by", who=who, moment=words.moment(turn.asked_at))
    return f"{said} · {turn.department}" if turn.department else said


def render_feedback(turn: ReviewTurn, words: Words) -> Safe | None:
    """Render what whoever asked says of the answer."""
    told = turn.feedback
    if told is None:
        return None
    name = f"review.reason.{told.reason}"
    reason = words(name) if told.reason and words.knows(name) else ""
    if told.verdict == "down" and not (reason or told.text):
        return None
    # That it is a thumb down stands beside it already, as the reason why it is here.
    head = element("strong", words("review.thumbs_up")) if told.verdict == "up" else None
    text = element("q", told.text, dir="auto") if told.text else None
    return element(
        "p", element("strong", head), f" {reason} " if reason else " ", text, class_=f"feedback {told.verdict}"
    )


def _concerns(totals: Mapping[Concern, int], where: Where, words: Words) -> Safe:
    every: list[tuple[str, str, int | None]] = [("", words("review.every_concern"), None)]
    every += [(each, words(f"review.concern.{each}"), totals.get(each, 0)) for each in CONCERNS]
    buttons = [
        element("button", name, element("span", words.number(count), class_="count") if count is not None else None,
                type="button", data_action="concern", data_concern=concern, data_key=f"concern-{concern}",
                aria_pressed=str(concern == where.concern).lower())
        for concern, name, count in every
    ]  # fmt: skip
    return element("div", *buttons, class_="row concerns", role="group", aria_label=words("review.concerns"))


def _filters(where: Where, words: Words) -> Safe:
    options = [element("option", words(f"review.state.{each}"), value=each, selected=each == where.state) for each in
               STATES]  # fmt: skip
    return element(
        "div",
        element("label", words("review.state_is"), element("select", *options, name="state", data_action="filter")),
        _field(words("review.from"), "first_day", where.first_day, type="date"),
        _field(words("review.to"), "last_day", where.last_day, type="date"),
        _field(words("review.below"), "certainty_below", where.certainty_below, type="number", min="0", max="1",
               step="0.05", placeholder="0.5"),
        element("button", words("review.show"), type="button", data_action="filter", data_submit=True),
        class_="toolbar", data_form=True, role="group", aria_label=words("review.filters"),
    )  # fmt: skip


def _field(text: str, name: str, value: str, **attributes: str) -> Safe:
    return element("label", text, element("input", name=name, value=value, **attributes))


def _card(turn: ReviewTurn, words: Words) -> Safe:
    question = turn.question[:_QUESTION_SHOWN] + ("…" if len(turn.question) > _QUESTION_SHOWN else "")
    state = None
    if turn.review.state != "open":
        state = element("span", words(f"review.state.{turn.review.state}"), class_="tag state")
    certainty = words("review.certainty", percent=words.percent(turn.certainty)) if turn.certainty is not None else ""
    return element(
        "li",
        element("button", question or words("review.no_words"), type="button", class_="question", dir="auto",
                data_action="turn", data_turn=turn.id, data_key=f"turn-{turn.id}"),
        element("p", concern_tags(turn, words), " ", state, class_="tags"),
        render_feedback(turn, words),
        element("p", " · ".join(filter(None, (asked_line(turn, words), certainty))), class_="quiet"),
        class_="card", data_key=turn.id,
    )  # fmt: skip
