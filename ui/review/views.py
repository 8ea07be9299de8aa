"""Renders the content for reviewers: turns, earlier and new answers, test cases and their runs."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, get_args

from markupsafe import Markup

from contracts.answer import Answer, Citation, Outcome
from contracts.case_runs import CaseRun, RunDetails
from contracts.jargon import Reading
from contracts.records import Groups, Replay, ReviewDetails
from serving.documents.service import address_of
from ui.markdown import MarkedSentence, render_markdown, weak_sentences
from ui.pages import Visit
from ui.words import Words


def render_replay(visit: Visit, turn: ReviewDetails, now: Replay) -> Markup:
    """Render the earlier answer next to the new one, and the differences."""
    changes = None if turn.withheld else _changes(turn, now, visit.words)
    return render(visit, "replay", turn=turn, now=now, changes=changes)


def render_form(visit: Visit, fields: Mapping[str, Any], *, title: str, action: str, **values: str) -> Markup:
    """Render the form of a test case; ``action`` is sent with ``values`` when it is saved."""
    data = {f"data-{name}": value for name, value in values.items()}
    return render(visit, "case_form", fields=fields, title=title, action=action, data=data, outcomes=get_args(Outcome))


def render_runs(visit: Visit, runs: Sequence[CaseRun], *, groups: Groups, opened: RunDetails | None = None) -> Markup:
    """Render the runs, newest first, each with the changes since the previous one, and the open run.

    Runs for groups other than ``groups`` cover other cases and are not compared.
    """
    own = [each for each in reversed(runs) if each.score is not None and each.groups == groups]
    changed = {new.id: new.measure.changed_since(old.measure) for old, new in pairwise(own)}
    return render(visit, "runs", runs=runs, changed=changed, opened=opened)


def render(visit: Visit, template: str, **values: object) -> Markup:
    """Render a template of the review page with the values that all of them use."""
    return visit.render(
        f"review/{template}.html",
        answer_text=partial(_answer_text, visit),
        cited=partial(_cited, visit),
        citation_line=citation_line,
        reading_line=reading_line,
        **values,
    )


def reading_line(reading: Reading) -> str:
    """Write how a term was interpreted: ``VPP = Pump Voltage (Power)``."""
    if reading.sense is None:
        return reading.text
    return f"{reading.text} = {reading.sense.name_in_context}"


def citation_line(citation: Citation, words: Words) -> str:
    """Write the document and page of a citation."""
    return words("review.page_of", title=citation.shown_name, page=citation.page)


def _answer_text(visit: Visit, answer: Answer) -> tuple[Markup, tuple[MarkedSentence, ...]]:
    """Return an answer's text with unsupported sentences marked, and the sentences that were not found in it."""
    known = {each.number: each for each in answer.quoted}

    def cite(number: int) -> Markup | None:
        return _cited(visit, known[number], str(number)) if number in known else None

    return render_markdown(answer.text, cite=cite, marked=weak_sentences(answer.sentences, visit.words))


def _cited(visit: Visit, citation: Citation, text: str) -> Markup:
    """Return a link to the page of a citation; plain text if it has no document."""
    place = citation_line(citation, visit.words)
    if not citation.document_id or citation.page < 1:
        return Markup('<span class="cite-link" title="{}">{}</span>').format(place, text)
    # A bare number needs a label for screen readers; a whole line does not.
    name = visit.words("review.open_source", number=citation.number, source=place) if text.isdecimal() else text
    address = f"{visit.path(address_of(citation.document_id))}/file#page={citation.page}"
    opens = '<a href="{}" target="_blank" rel="noopener" class="cite-link" title="{}" aria-label="{}">{}</a>'
    return Markup(opens).format(address, place, name, text)


def _changes(turn: ReviewDetails, now: Replay, words: Words) -> list[str]:
    lines = []
    if turn.outcome != now.outcome:
        old, new = (words.named("overview.outcome", each.outcome) for each in (turn, now))
        lines.append(words("review.changed.outcome", old=old, new=new))
    if turn.certainty != now.certainty:
        old, new = (words.percent(each) if each is not None else "–" for each in (turn.certainty, now.certainty))
        lines.append(words("review.changed.certainty", old=old, new=new))
    for name, before, after in (
        ("citation", *([citation_line(each, words) for each in asked.answer.quoted] for asked in (turn, now))),
        ("reading", *([reading_line(each) for each in asked.answer.readings] for asked in (turn, now))),
    ):
        for end, lost in (("gone", set(before) - set(after)), ("new", set(after) - set(before))):
            lines += [words(f"review.changed.{name}_{end}", what=each) for each in sorted(lost)]
    return lines
