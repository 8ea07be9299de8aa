"""An answer as a reviewer sees it: readings, marked text, citations, steps, drafts, and how two texts differ."""

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from contracts.answer import Answer, Citation, RefinementRecord, Step
from contracts.jargon import Reading
from contracts.records import Answered
from serving.documents.service import address_of
from ui.html import Safe, element, join, link
from ui.markdown import MarkedSentence, render_markdown
from ui.words import Words

PathOf = Callable[[str], str]
_WEAK = ("unfaithful", "partial")
_TOKEN = re.compile(r"\s+|[^\s]+")
# Comparing takes the square of this in the worst case: longer texts are shown side by side alone.
_MAX_TOKENS = 3_000


def render_answer(said: Answered, words: Words, path: PathOf) -> Safe:
    """Render an answer with what came with it; ``path`` makes an address for the browser."""
    answer = said.answer
    return element("div", _readings(answer.readings, words), _text(answer, words, path), _refused(answer, words),
                   _sources(answer.citations, words, path), class_="said")  # fmt: skip


def facts(said: Answered, words: Words) -> Safe:
    """Render outcome, certainty, time and engine in a line."""
    parts = [
        element("span", words(f"review.outcome.{said.outcome}") if words.knows(f"review.outcome.{said.outcome}")
                else said.outcome, class_=f"tag {said.outcome}"),
        element("span", words("review.certainty", percent=words.percent(said.certainty)))
        if said.certainty is not None else None,
        element("span", words.seconds(1_000 * said.seconds)),
        element("span", said.engine, class_="quiet") if said.engine else None,
    ]  # fmt: skip
    return element("p", join(parts, " "), class_="facts")


def reading_line(reading: Reading) -> str:
    """Write how a term was read: ``VPP = Pump Voltage (Power)``."""
    if reading.sense is None:
        return reading.text
    context = f" ({reading.sense.context})" if reading.sense.context else ""
    return f"{reading.text} = {reading.sense.extended_name}{context}"


def citation_line(citation: Citation, words: Words) -> str:
    """Write which page a citation is of."""
    return words("review.page_of", title=citation.document_title or citation.document_name, page=citation.page)


def render_steps(steps: Sequence[Step], words: Words, *, running: str = "") -> Safe | None:
    """Render the steps, folded; ``running`` names the one under way."""
    if not steps and not running:
        return None
    rows = [
        element("li", element("span", step_name(each.node, words), class_="step-name"),
                element("span", each.finding, class_="finding"),
                element("span", words.seconds(each.milliseconds), class_="time"))
        for each in steps
    ]  # fmt: skip
    said = words("review.under_way", step=step_name(running, words)) if running else words.count("review.steps",
                                                                                               len(steps))  # fmt: skip
    return element("details", element("summary", said), element("ol", *rows), class_="steps")


def step_name(node: str, words: Words) -> str:
    """Return a step's name in words; that of an unknown one with its underscores gone."""
    name = f"overview.step_name.{node}"
    return words(name) if words.knows(name) else node.replace("_", " ").capitalize()


def render_refinement(record: RefinementRecord | None, words: Words) -> Safe | None:
    """Render what was decided about the draft, and both drafts' difference; None where none was reviewed."""
    if record is None:
        return None
    signal = words("review.signal_line", name=record.signal_name or record.policy, value=words.number(record.signal, 2),
                   threshold=words.number(record.threshold, 2))  # fmt: skip
    fired = words("review.fired" if record.fired else "review.not_fired")
    kept = words(f"review.kept.{record.kept}") if words.knows(f"review.kept.{record.kept}") else record.kept
    parts: list[Safe | None] = [element("p", f"{signal} {fired}")]
    if record.fired:
        parts.append(element("p", " ".join(filter(None, (kept, record.kept_reason)))))
    if record.reasons:
        parts.append(element("ul", *(element("li", each, dir="auto") for each in record.reasons)))
    if record.draft_before and record.draft_after:
        parts += [
            element("h3", words("review.drafts")),
            render_difference(record.draft_before, record.draft_after, words),
        ]
    return element("details", element("summary", words("review.refinement")), *parts, class_="refinement")


def _text(answer: Answer, words: Words, path: PathOf) -> Safe:
    known = {each.number: each for each in answer.citations}

    def cite(number: int) -> Safe | None:
        return _cited(known[number], str(number), words, path) if number in known else None

    marked = [
        MarkedSentence(text=each.text, css_class=each.label,
                       remark=" ".join(filter(None, (words(f"review.label.{each.label}"), each.reason))))
        for each in answer.sentences if each.label in _WEAK
    ]  # fmt: skip
    rendered, lost = render_markdown(answer.text, cite=cite, marked=marked)
    rest = element("ul", *(element("li", element("q", each.text), " ", each.remark) for each in lost)) if lost else None
    return element("div", rendered, rest, class_="answer", dir="auto")


def _readings(readings: Sequence[Reading], words: Words) -> Safe | None:
    if not readings:
        return None
    chips = [element("li", reading_line(each), class_="chip") for each in readings]
    return element("ul", *chips, class_="chips", aria_label=words("review.readings"))


def _refused(answer: Answer, words: Words) -> Safe | None:
    lines = [
        *(words("review.missing", what=each) for each in answer.missing),
        *(words("review.unknown", term=each.term) for each in answer.unknown_terms),
        *(words("review.offered", term=each.sense.term, name=each.sense.extended_name) for each in answer.options),
        *(
            words("review.near", title=each.document_title or each.document_name, page=each.page)
            for each in answer.nearest
        ),
        *(words("review.degraded", step=each) for each in answer.degraded),
    ]  # fmt: skip
    return element("ul", *(element("li", each, dir="auto") for each in lines), class_="quiet") if lines else None


def _sources(citations: Sequence[Citation], words: Words, path: PathOf) -> Safe | None:
    if not citations:
        return None
    rows = [
        element("li", _cited(each, f"[{each.number}] {citation_line(each, words)}", words, path),
                element("q", each.quote, dir="auto"))
        for each in citations
    ]  # fmt: skip
    return element("ol", *rows, class_="sources", aria_label=words("review.sources"))


def _cited(citation: Citation, text: str, words: Words, path: PathOf) -> Safe:
    said = citation_line(citation, words)
    if not citation.document_id or citation.page < 1:
        return element("span", text, class_="cite-link", title=said)
    # A bare number says nothing; a whole line is its own name.
    named = words("review.open_source", number=citation.number, source=said) if text.isdecimal() else None
    address = f"{path(address_of(citation.document_id))}/file"
    return link(text, f"{address}#page={citation.page}", target="_blank", rel="noopener", class_="cite-link",
                title=said, aria_label=named)  # fmt: skip


def render_difference(old: str, new: str, words: Words) -> Safe:
    """Render ``old`` become ``new``: removed words struck out, added ones underlined, both named to screen readers."""
    if old == new:
        return element("p", words("review.same_text"), class_="quiet")
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(before), len(after)) > _MAX_TOKENS:
        return element("p", words("review.too_long_to_compare"), class_="quiet")
    pieces: list[Safe | str] = []
    for tag, start, end, begin, stop in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append("".join(before[start:end]))
            continue
        if gone := "".join(before[start:end]):
            pieces.append(_marked("del", gone, words("review.removed"), words("review.removed_end")))
        if come := "".join(after[begin:stop]):
            pieces.append(_marked("ins", come, words("review.added"), words("review.added_end")))
    return element("p", join(pieces), class_="difference", dir="auto")


def changed(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is in ``old`` alone and in ``new`` alone, each in its order."""
    return tuple(each for each in old if each not in new), tuple(each for each in new if each not in old)


def _marked(name: str, text: str, before: str, after: str) -> Safe:
    return element(
        name, element("span", f" [{before} ", class_="sr"), text, element("span", f" {after}] ", class_="sr")
    )
