"""A turn to review: what was asked and answered, what to decide about it, and the same question asked again."""

from collections.abc import Sequence

from contracts.answer import Step
from contracts.records import Answered, KeptTurn, Replay, ReviewDetails
from ui.html import Safe, element
from ui.review.answers import (
    PathOf,
    changed,
    citation_line,
    facts,
    reading_line,
    render_answer,
    render_difference,
    render_refinement,
    render_steps,
)
from ui.review.listing import asked_line, concern_tags, render_feedback
from ui.words import Words


def render_turn(turn: ReviewDetails, words: Words, path: PathOf, *, below: Safe | None = None) -> Safe:
    """Render a turn; ``below`` stands under its answer: a replay, or the form of a test case."""
    return element(
        "div",
        element("button", words("review.back"), type="button", data_action="back", data_key="back",
                class_="quiet-button"),
        _before(turn.before, words, path),
        element("h1", turn.question or words("review.no_words"), class_="the-question", dir="auto"),
        element("p", concern_tags(turn, words), class_="tags"),
        element("p", asked_line(turn, words), class_="quiet"),
        render_feedback(turn, words),
        _answered(turn, words, path),
        _actions(turn, words),
        below,
        _decision(turn, words),
        class_="turn", data_key=turn.id,
    )  # fmt: skip


def render_replaying(steps: Sequence[Step], running: str, words: Words) -> Safe:
    """Render a question that is being asked again."""
    now = running or (steps[-1].node if steps else "")
    told = element("p", words("frame.working"), role="status", data_key="working")
    return element("section", element("h2", words("review.replay")), told, render_steps(steps, words, running=now),
                   class_="card", aria_busy="true", data_key="replay")  # fmt: skip


def render_replay(turn: ReviewDetails, now: Replay, words: Words, path: PathOf) -> Safe:
    """Render the answer of then beside that of now, and what differs."""
    then = element("p", words(f"review.withheld.{turn.withheld}"), class_="quiet") if turn.withheld else None
    sides = element(
        "div",
        element("div", element("h3", words("review.then")), facts(turn, words),
                then or render_answer(turn, words, path), class_="side"),
        element("div", element("h3", words("review.now")), facts(now, words), render_answer(now, words, path),
                render_steps(now.answer.steps, words), render_refinement(now.answer.refinement, words), class_="side"),
        class_="sides",
    )  # fmt: skip
    differs = None
    if not turn.withheld:
        differs = element("div", element("h3", words("review.difference")),
                          render_difference(turn.text, now.text, words), _changes(turn, now, words))  # fmt: skip
    return element("section", element("h2", words("review.replay"), tabindex=-1, data_key="replayed"), sides, differs,
                   class_="card", data_key="replay")  # fmt: skip


def _changes(turn: ReviewDetails, now: Replay, words: Words) -> Safe | None:
    lines = []
    if turn.outcome != now.outcome:
        lines.append(words("review.changed.outcome", old=_outcome(turn, words), new=_outcome(now, words)))
    if turn.certainty != now.certainty:
        old, new = (words.percent(each) if each is not None else "–" for each in (turn.certainty, now.certainty))
        lines.append(words("review.changed.certainty", old=old, new=new))
    for name, old_ones, new_ones in (
        ("citation", *([citation_line(each, words) for each in said.answer.citations] for said in (turn, now))),
        ("reading", *([reading_line(each) for each in said.answer.readings] for said in (turn, now))),
    ):
        gone, come = changed(old_ones, new_ones)
        lines += [words(f"review.changed.{name}_gone", what=each) for each in dict.fromkeys(gone)]
        lines += [words(f"review.changed.{name}_new", what=each) for each in dict.fromkeys(come)]
    if not lines:
        return element("p", words("review.nothing_else"), class_="quiet")
    return element("ul", *(element("li", each, dir="auto") for each in lines), class_="changes")


def _outcome(said: Answered, words: Words) -> str:
    name = f"review.outcome.{said.outcome}"
    return words(name) if words.knows(name) else said.outcome


def _answered(turn: ReviewDetails, words: Words, path: PathOf) -> Safe:
    if turn.withheld:
        gone = [each.name for each in turn.documents if not each.there]
        named = element("p", words("review.gone", names=", ".join(gone))) if gone else None
        return element("section", element("p", words(f"review.withheld.{turn.withheld}")), named, class_="card")
    return element("section", facts(turn, words), render_answer(turn, words, path),
                   render_steps(turn.answer.steps, words), render_refinement(turn.answer.refinement, words),
                   class_="card", aria_label=words("review.answer"))  # fmt: skip


def _before(turns: Sequence[KeptTurn], words: Words, path: PathOf) -> Safe | None:
    if not turns:
        return None
    said = [
        element("li", element("p", element("strong", each.question, dir="auto")),
                element("p", words(f"review.withheld.{each.withheld}"), class_="quiet") if each.withheld
                else render_answer(each, words, path), data_key=each.id)
        for each in turns
    ]  # fmt: skip
    return element("details", element("summary", words.count("review.before", len(turns))), element("ol", *said),
                   class_="card before")  # fmt: skip


def _actions(turn: ReviewDetails, words: Words) -> Safe:
    return element(
        "div",
        element("button", words("review.ask_again"), type="button", class_="primary", data_action="replay",
                data_stream=True, data_turn=turn.id, data_key="ask-again", title=words("review.ask_again_more")),
        element("button", words("review.make_case"), type="button", data_action="make", data_turn=turn.id,
                data_key="make"),
        class_="row",
    )  # fmt: skip


def _decision(turn: ReviewDetails, words: Words) -> Safe:
    known = turn.review
    line = None
    if known.state != "open" or known.note:
        moment = words.moment(known.changed_at) if known.changed_at is not None else ""
        line = element("p", words("review.decided", state=words(f"review.state.{known.state}"),
                                  who=known.who or words("review.somebody"), moment=moment),
                       element("br"), element("span", known.note, dir="auto"), class_="quiet")  # fmt: skip
    verbs = ("resolve", "ignore") if known.state == "open" else ("reopen",)
    buttons = [
        element("button", words(f"review.verb.{verb}"), type="button", data_action="decide", data_verb=verb,
                data_etag=turn.etag, data_turn=turn.id, data_key=f"verb-{verb}")
        for verb in verbs
    ]  # fmt: skip
    note = element("label", words("review.note"), element("textarea", "", name="note", rows=2, maxlength=4_000))
    return element("section", element("h2", words("review.decision")), line, note,
                   element("div", *buttons, class_="row"), class_="card", data_form=True,
                   data_key=f"decision-{turn.etag}")  # fmt: skip
