"""Quoted answers: selects the parts of the best quotes to show as the answer, in Markdown and without additions."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.text import Passage, Span
from tools.language import split_sentences
from tools.reading.answer_types import answer_type_match
from tools.reading.concepts import coverage, read_words
from tools.reading.features import POINTS_BACK, VALUE_KINDS, QuestionView, told_span
from tools.reading.quotes import Quote, is_code, items_of, paragraphs, whole_sentences
from tools.reading.ranking import RankedQuote
from tools.tables.table import TableAnswer, answer_markdown, split_cells, table_markdown

# A list or procedure of at most this many words is shown completely; paragraphs and tables are shown as ranked.
_MOST_WORDS = 260
# A list of at most this many words is shown completely, and so is prose if it is unclear which sentence answers.
_SHORT_WORDS = 60
# A table of names and values of at most this many words is shown completely, as one description.
_DESCRIPTION_WORDS = 120
# A row with at most this many columns is shown completely, so that the reader can see what a value means.
_FEW_COLUMNS = 6
# For questions of these kinds, one sentence is enough; other answers need the context of the sentence.
_ONE_SENTENCE = frozenset({"quantity", "count", "time", "person", "place", "fact", "yes_no"})
_EXPLAINED = frozenset({"procedure", "reason", "definition", "comparison"})
# For questions of these kinds, a list directly after the best quote may be the answer, even if nothing announces it.
_LISTED = frozenset({"fact", "list", "definition", "comparison"})
# A neighbour is shown if its score (log-odds) is at most this much lower.
_NEARLY = 2.0
# Another quote is shown as a second answer if its score (log-odds) is at most this much lower, and it is not too long.
_AS_LIKELY = 1.5
_MOST_SECOND_WORDS = 80
# After "There are three ways to ...", the ways follow if they are not in the same sentence.
_ANNOUNCES_SEVERAL = re.compile(
    r"\b(?:two|three|four|five|six|seven|several|various|a (?:\w+ )?(?:set|number|list) of)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:approaches|cases|categories|classes|commands|conditions|kinds|levels|mechanisms|methods|modes|options|parts|"
    r"phases|possibilities|preferences|reasons|rules|settings|sorts|steps|types|variants|ways)\b[^:]*$", re.IGNORECASE,
)  # fmt: skip
_MOST_ANNOUNCED_WORDS = 150
_MARK = re.compile(r"\s*(?:[•◦▪●‣·*+–—-]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
# A term with its description, such as "--timeout: ...".
_DESCRIBED = re.compile(r"[^\s:][^:\n.!?]{0,80}:\s")
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_STARS = re.compile(r"^(\s*)[•◦▪●‣·*+–—]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedAnswer:
    """An answer in a document's own words, as Markdown, and the index of its passage."""

    passage: int
    text: str


def quote_answer(view: QuestionView, ranked: Sequence[RankedQuote], passages: Sequence[Passage]) -> QuotedAnswer:
    """Return the answer from the first of ``ranked`` (not empty), extended to be complete.

    A requested list or procedure is shown completely, an explanation is shown with an adjacent quote that is nearly as
    likely, and prose is shown with the list directly after it. Of 1,100 questions not used for training, the answer to
    25 is prose before a list, and the answer to six of these is only in the list.
    """
    best = ranked[0]
    beside = _list_behind(view, best, ranked, passages[best.passage].text)
    if beside is None and view.shape.kind in _EXPLAINED:
        beside = _beside(best, ranked)
    both = sorted([best, beside], key=lambda each: each.quote.span.start) if beside is not None else [best]
    shown = ""
    for each in both:
        shown = "\n\n".join(filter(None, [shown, _not_yet_shown(_shown(view, each, passages), shown)]))
    return QuotedAnswer(passage=best.passage, text=shown)


def quote_answers(
    view: QuestionView, ranked: Sequence[RankedQuote], passages: Sequence[Passage]
) -> tuple[QuotedAnswer, ...]:
    """Return the answer from the first of ``ranked``, and a second answer if its quote is nearly as likely.

    Of 1,360 questions not used for training, the first quote answers 78%, and one of the two answers 83%; a quarter of
    the answers have two quotes.
    """
    first, best = quote_answer(view, ranked, passages), ranked[0]
    for each in ranked[1:]:
        if each.score < best.score - _AS_LIKELY:
            break
        second = quote_answer(view, [each], passages)
        second = replace(second, text=_not_yet_shown(second.text, first.text))
        same = each.passage == best.passage and each.quote.whole == best.quote.whole
        if each.quote.kind == "list" and "```" not in second.text:
            lines = [line for line in second.text.split("\n") if line not in first.text.split("\n")]
            second = replace(second, text="\n".join(lines).strip("\n"))
        if (same and each.quote.kind == "table") or not second.text:
            continue
        if len(second.text.split()) > _MOST_SECOND_WORDS:
            return (first,)
        # Parts of one list are shown in its order.
        return (second, first) if same and each.quote.span.start < best.quote.span.start else (first, second)
    return (first,)


def _not_yet_shown(text: str, shown: str) -> str:
    """Return ``text`` without leading sentences that ``shown`` contains; "" if ``shown`` contains all of it."""
    if text in shown:
        return ""
    end = 0
    for each in split_sentences(text):
        if text[each.end - 1] not in ".!?" or text[each.start : each.end] not in shown:
            break
        end = each.end
    return text[end:].lstrip()


def _list_behind(view: QuestionView, best: RankedQuote, ranked: Sequence[RankedQuote], text: str) -> RankedQuote | None:
    """Return a quote from the list directly after the best quote, if that is prose."""
    if best.quote.kind != "prose":
        return None
    lists = (each for each in ranked if each.passage == best.passage and each.quote.kind == "list")
    behind = (each for each in lists if each.quote.whole.start >= best.quote.span.end)
    found = next((each for each in behind if not text[best.quote.span.end : each.quote.whole.start].strip()), None)
    # For example: "The file is searched for in these folders. This is the order: ..."
    points_back = found is not None and found.quote.lead is not None and POINTS_BACK.match(_lead(text, found.quote))
    return found if view.shape.kind in _LISTED or points_back else None


def _beside(best: RankedQuote, ranked: Sequence[RankedQuote]) -> RankedQuote | None:
    """Return the more probable quote directly before or after the best one, under the same headings.

    It must be nearly as probable as the best quote, or contain the code that the best quote explains.
    """
    near = [
        each
        for each in ranked[1:]
        if each.passage == best.passage
        and (each.score >= best.score - _NEARLY or _is_code_above(each, best))
        and each.quote.kind != "table"
        and each.quote.headings == best.quote.headings
    ]
    order = sorted([best, *near], key=lambda each: each.quote.span.start)
    at = order.index(best)
    return max([*order[max(at - 1, 0) : at], *order[at + 1 : at + 2]], key=lambda each: each.score, default=None)


def _is_code_above(quote: RankedQuote, best: RankedQuote) -> bool:
    """Return whether ``quote`` ends with the code directly above the paragraph ``best``."""
    kinds = (quote.quote.kind, best.quote.kind)
    return kinds == ("code", "prose") and 0 < best.quote.span.start - quote.quote.span.end <= 2


def _shown(view: QuestionView, ranked: RankedQuote, passages: Sequence[Passage]) -> str:
    passage, quote = passages[ranked.passage], ranked.quote
    text, sentences = passage.text, passage.sentences or split_sentences(passage.text)
    match quote.kind:
        case "table":
            shown = _table(view, text, ranked)
        case "list":
            whole = text[quote.whole.start : quote.whole.end]
            words = len(whole.split())
            wanted = view.shape.kind in ("list", "procedure") or _is_told_above(view, text, quote)
            item = None if wanted else _answering_item(view, text, ranked)
            if item is not None:
                shown = _without_mark(_list(text, item, passage.chunk.code))
            elif words <= _SHORT_WORDS or (wanted and words <= _MOST_WORDS):
                shown = _list(text, quote.whole, passage.chunk.code)
            else:
                shown = _lead(text, quote) + _list(text, quote.span, passage.chunk.code)
        case _:
            if quote.kind == "prose" and view.shape.kind in _ONE_SENTENCE:
                span = _answering_span(view, text, sentences, ranked)
            else:
                span = _from_its_subject(text, sentences, quote)
            span = _with_what_it_announces(view, text, span, quote)
            above = _lead(text, quote) if span.start == quote.span.start else ""
            shown = above + _prose(text, span, passage.chunk.code, likely=quote.kind == "code")
    return shown


def _lead(text: str, quote: Quote) -> str:
    return _one_line(text[quote.lead.start : quote.lead.end]) + "\n\n" if quote.lead is not None else ""


def _answering_span(view: QuestionView, text: str, sentences: Sequence[Span], ranked: RankedQuote) -> Span:
    """Return the sentence in a quote that contains the answer; if that is unclear, return all of a short quote.

    It is clear if the sentence contains the position that the cross-encoder points to, and all question words found in
    the quote. Cutting unclear quotes would lose one answer in six. A short description of a term is never cut, because
    its default is not in the same sentence as its meaning.
    """
    quote, key = ranked.quote, ranked.key
    span = told_span(view, text, whole_sentences(text, sentences, quote.span), key)
    share, whole = (coverage(view.concepts, read_words(text[each.start : each.end])) for each in (span, quote.span))
    sure = share >= whole and span.start <= key.start < span.end and not _lacks_value(view, text, span, quote.span)
    short = len(text[quote.span.start : quote.span.end].split()) <= _SHORT_WORDS
    described = _DESCRIBED.match(text, quote.span.start) is not None
    return quote.span if short and (described or not sure) else span


def _answering_item(view: QuestionView, text: str, ranked: RankedQuote) -> Span | None:
    """Return the list item that contains the answer, with its nested items, if this is clear (see above)."""
    quote, key = ranked.quote, ranked.key
    if view.shape.kind not in _ONE_SENTENCE or quote.lead is not None:
        return None
    item = next((each for each in items_of(text, quote.span) if each.start <= key.start < each.end), quote.span)
    share, whole = (coverage(view.concepts, read_words(text[each.start : each.end])) for each in (item, quote.span))
    return item if share >= whole and not _lacks_value(view, text, item, quote.span) else None


def _with_what_it_announces(view: QuestionView, text: str, span: Span, quote: Quote) -> Span:
    """Extend a quote that ends by announcing several things to the end of its paragraph, where they are named."""
    rest = text[span.end : quote.whole.end]
    long = len(text[span.start : quote.whole.end].split()) > _MOST_ANNOUNCED_WORDS
    if view.shape.kind in VALUE_KINDS or long or "\n" in rest or not rest.strip():
        return span
    announces = _ANNOUNCES_SEVERAL.search(text[span.start : span.end])
    return Span(span.start, quote.whole.end) if announces else span


def _lacks_value(view: QuestionView, text: str, part: Span, quote: Span) -> bool:
    """Return whether a sentence lacks the requested number, time or name, but the quote around it contains one."""
    if view.shape.kind not in VALUE_KINDS or answer_type_match(view.shape, text[part.start : part.end]) > 0:
        return False
    return answer_type_match(view.shape, text[quote.start : quote.end]) > 0


def _is_told_above(view: QuestionView, text: str, quote: Quote) -> bool:
    """Return whether a list's introduction contains as much of the question as its items, so that all answer it."""
    if quote.lead is None:
        return False
    above, items = (read_words(text[each.start : each.end]) for each in (quote.lead, quote.span))
    told_above = coverage(view.concepts, above)
    return told_above > 0 and told_above >= coverage(view.concepts, items)


def _from_its_subject(text: str, sentences: Sequence[Span], quote: Quote) -> Span:
    """Start a quote one sentence earlier if its first sentence refers back."""
    start = quote.span.start
    if start <= quote.whole.start or not POINTS_BACK.match(text[start : quote.span.end]):
        return quote.span
    return Span(whole_sentences(text, sentences, Span(quote.whole.start, start))[-1].start, quote.span.end)


def _prose(text: str, span: Span, code: Sequence[Span], *, likely: bool) -> str:
    """Write each paragraph on one line and code in a block; ``likely`` means that the quote probably contains code."""
    parts = list(paragraphs(text, span, code))
    written = []
    for number, (lines, marked) in enumerate(parts):
        if marked or (number and is_code(lines, likely=True)) or (likely and len(parts) == 1):
            written.append(_code(lines))
        else:
            written.append(_one_line(" ".join(lines)))
    return "\n\n".join(written)


def _code(lines: Sequence[str]) -> str:
    fence = "```" if not any("```" in line for line in lines) else "~~~~"
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join([fence, *(line[margin:].rstrip() for line in lines), fence])


def _list(text: str, span: Span, code: Sequence[Span]) -> str:
    """Write a list, one item per line, after the sentence that introduces it; nested items are indented."""
    items = list(items_of(text, span))
    lead = "" if _is_item(text[span.start : span.end]) else _one_line(text[items[0].start : items[0].end])
    lines: list[str] = []
    for own, marked in paragraphs(text, span, code):
        margin = " " * (len(own[0]) - len(own[0].lstrip()))
        set_in = bool(margin) and all(line.startswith(margin) for line in own) and not _is_item(own[0])
        if marked or (set_in and is_code([line.removeprefix(margin) for line in own], likely=True)):
            lines += [margin + line for line in _code(own).splitlines()]
        else:
            lines += [_STARS.sub(r"\1- ", line.rstrip()) for line in own]
    if lead:
        head = next((n for n, line in enumerate(lines) if _is_item(line)), len(lines))
        return "\n".join([_one_line(" ".join(lines[:head])), "", textwrap.dedent("\n".join(lines[head:]))])
    return textwrap.dedent("\n".join(lines))


def _without_mark(item: str) -> str:
    """Return an item without its marker if it has one line, for showing it alone."""
    return item if "\n" in item else _MARK.sub("", item, count=1)


def _is_item(line: str) -> bool:
    return bool(_MARK.match(line))


def _table(view: QuestionView, text: str, ranked: RankedQuote) -> str:
    """Write the row that answers, with the header; if it is unclear which row answers, write all rows of the quote."""
    quote = ranked.quote
    if ranked.table is not None:
        return answer_markdown(_with_whole_rows(ranked.table))
    quoted = text[quote.span.start : quote.span.end]
    lines = [Span(quote.span.start + each.start(), quote.span.start + each.end()) for each in _LINE.finditer(quoted)]
    held = [coverage(view.concepts, read_words(text[each.start : each.end])) for each in lines]
    named = [each for each, share in zip(lines, held, strict=True) if share >= max(held) - 1e-9]
    points_there = any(each.start <= ranked.key.start < each.end for each in named)
    sure = points_there and max(held) >= coverage(view.concepts, read_words(quoted)) and view.shape.kind != "list"
    rows = [split_cells(text[each.start : each.end]) for each in (named if sure else lines)]
    whole = [line for line in text[quote.whole.start : quote.whole.end].splitlines() if line.strip()]
    if len(" ".join(whole).split()) <= _DESCRIPTION_WORDS and all(len(split_cells(line)) <= 2 for line in whole):
        # A short table of names and values is a single description.
        return table_markdown(split_cells(whole[0]), [split_cells(line) for line in whole[1:]])
    header = split_cells(text[quote.lead.start : quote.lead.end]) if quote.lead is not None else ()
    return table_markdown(header, rows)


def _with_whole_rows(answer: TableAnswer) -> TableAnswer:
    """Show all cells (if there are few) of rows that were looked up or filtered, or of a single counted row."""
    looked_up = answer.operation in ("cell", "filter") or answer.count == 1
    width = len(answer.table.header)
    return replace(answer, columns=tuple(range(width)), count=None) if looked_up and width <= _FEW_COLUMNS else answer


def _one_line(text: str) -> str:
    return " ".join(text.split())
