"""Composing: the one to three sentences that answer a question, taken from scored statements."""

import math
from collections.abc import Sequence

from contracts.jargon import Reading
from intrinsics.answer_generation.pieces import Piece, closed, items_of, list_piece, make_piece, whole_list
from tools.language import fold
from tools.reading.answer_types import answer_type_match, definition_match
from tools.reading.cells import choose_cell, column_list, extreme_row, names_a_row
from tools.reading.concepts import coverage, read_words
from tools.reading.features import NUMERIC_KINDS, QuestionView
from tools.reading.polarity import decide
from tools.reading.scoring import ScoredStatement
from tools.reading.statements import Statement, leads_in

# A second sentence is worth reading when it was at least this likely, beside the first, to be the answer.
_SUPPORT_RATIO = 0.35
# Above this the first sentence stands alone.
_SURE = 0.7
_MAX_SENTENCES = 3
# A statement holds the kind of value asked for from this match on; below it, it only names some number.
_TYPED = 0.5
# Fewer words are a heading or a cell: they add nothing to a definition.
_SENTENCE_WORDS = 5


def compose(
    view: QuestionView,
    scored: Sequence[ScoredStatement],
    statements: Sequence[Statement],
    readings: Sequence[Reading],
    *,
    strict: bool = False,
) -> tuple[Piece, ...]:
    """Compose the answer to one question: the answering sentence first, then what the question asked beyond it.

    ``scored`` is best first, ``statements`` are all of the passages in their order. ``strict`` leaves all support out.
    """
    pieces = list(_definition(view, scored, readings))
    if pieces:
        return tuple(pieces)
    usable = [each for each in scored if _says_something(each.statement)]
    if not usable:
        return ()
    main = _with_its_value(view, _main_piece(view, usable, statements), usable, statements)
    if strict or main.listing:
        return (main,)
    return (main, *_support(view, usable, statements, main))


def _with_its_value(
    view: QuestionView, main: Piece, scored: Sequence[ScoredStatement], statements: Sequence[Statement]
) -> Piece:
    """Let the next sentence follow where a number was asked for, the first names none and the next one does."""
    if view.shape.kind not in NUMERIC_KINDS or len(main.sources) != 1 or main.listing:
        return main
    source = main.sources[0]
    if source.kind != "sentence" or answer_type_match(view.shape, source.text) >= _TYPED:
        return main
    place = next((n for n, each in enumerate(statements) if each is source), len(statements))
    following = statements[place + 1] if place + 1 < len(statements) else None
    if following is None or following.kind != "sentence" or following.passage != source.passage:
        return main
    known = next((each for each in scored if each.statement is following), None)
    if known is None or known.conflict or answer_type_match(view.shape, following.text) < _TYPED:
        return main
    return Piece(text=f"{main.text} {closed(following.text)}", sources=(source, following))


def _definition(view: QuestionView, scored: Sequence[ScoredStatement], readings: Sequence[Reading]) -> list[Piece]:
    """Answer "what is PLR" from the dictionary's chosen sense and a sentence that defines it; [] for anything else."""
    if view.shape.kind != "definition":
        return []
    reading = next((each for each in readings if _is_about(view.shape.term, each)), None)
    names = [view.shape.term]
    pieces = []
    if reading is not None and reading.sense is not None:
        sense = reading.sense
        names = list(dict.fromkeys([view.shape.term, sense.term, sense.extended_name]))
        if fold(sense.extended_name) != fold(sense.term):
            pieces.append(Piece(text=f"{sense.term} stands for {sense.extended_name}."))
    best = max(
        scored,
        key=lambda each: 4.0 * max(definition_match(name, each.statement.text) for name in names) + each.score,
        default=None,
    )
    if best is not None and max(definition_match(name, best.statement.text) for name in names) >= 0.6:
        pieces.append(make_piece(view, best.statement))
    elif reading is not None and reading.sense is not None and reading.sense.description:
        pieces.append(Piece(text=closed(reading.sense.description)))
    elif pieces and best is not None and best.coverage >= 0.99 and _is_sentence(best.statement):
        pieces.append(make_piece(view, best.statement))
    return pieces


def _is_sentence(statement: Statement) -> bool:
    return len(statement.text.split()) >= _SENTENCE_WORDS


def _main_piece(view: QuestionView, scored: Sequence[ScoredStatement], statements: Sequence[Statement]) -> Piece:
    if view.shape.wants_list:
        listing = whole_list(scored, statements)
        if listing is not None:
            return listing
    for each in scored:
        piece = _single_piece(view, each, scored, statements)
        if piece is not None:
            return piece
    return make_piece(view, scored[0].statement)


def _single_piece(
    view: QuestionView, each: ScoredStatement, scored: Sequence[ScoredStatement], statements: Sequence[Statement]
) -> Piece | None:
    """Make a sentence from one statement; None where it only announces what the passage does not go on to say."""
    statement = each.statement
    if statement.record is not None:
        return _table_piece(view, statement, statements)
    if leads_in(statement.text):
        announced = _announced(view, statement, scored, statements)
        if announced is not None or statement.text.endswith(":"):
            return announced
    piece = make_piece(view, statement)
    return _answered(view, scored, piece) if view.shape.yes_no and each is scored[0] else piece


def _announced(
    view: QuestionView, lead: Statement, scored: Sequence[ScoredStatement], statements: Sequence[Statement]
) -> Piece | None:
    """Follow a sentence that announces something to the items or table rows that the question means."""
    rows = [each for each in scored if each.statement.record is not None and each.statement.before == lead.text]
    if rows:
        return _table_piece(view, rows[0].statement, statements)
    items = items_of(lead, statements)
    if not items:
        return _with_what_follows(lead, statements)
    lacking = [each for each in view.concepts if each.presence(read_words(f"{lead.place} {lead.text}")) < 1.0]
    held = [coverage(lacking, read_words(each.text)) if lacking else 0.0 for each in items]
    hits = [each for each, share in zip(items, held, strict=True) if share > 0 and share >= max(held)]
    if 0 < len(hits) <= 2:
        polarity = decide(view, hits[0]) if view.shape.yes_no else None
        text = f"{lead.text} {'; '.join(closed(hit.text).rstrip('.') for hit in hits)}."
        return Piece(text=f"{polarity.capitalize()}: {text}" if polarity else text, sources=(lead, *hits))
    return list_piece(lead, items)


def _with_what_follows(lead: Statement, statements: Sequence[Statement]) -> Piece | None:
    """Let the line that a sentence announces follow it: a command, a formula, an address."""
    place = next((n for n, each in enumerate(statements) if each is lead), len(statements))
    following = statements[place + 1] if place + 1 < len(statements) else None
    if following is None or following.passage != lead.passage or following.kind in {"item", "row"}:
        return None
    return Piece(text=f"{lead.text}\n{following.text}", sources=(lead, following), listing=True)


def _answered(view: QuestionView, scored: Sequence[ScoredStatement], piece: Piece) -> Piece:
    """Begin with Yes or No where one of the two best statements decides."""
    top = math.exp(scored[0].score)
    for each in scored[:2]:
        polarity = decide(view, each.statement)
        if polarity and math.exp(each.score) >= _SUPPORT_RATIO * top:
            chosen = piece if each is scored[0] else make_piece(view, each.statement)
            return Piece(text=f"{polarity.capitalize()}: {chosen.text}", sources=chosen.sources)
    return piece


def _table_piece(view: QuestionView, row: Statement, statements: Sequence[Statement]) -> Piece:
    rows = [each for each in statements if each.passage == row.passage and each.block == row.block and each.record]
    extreme = extreme_row(view, rows)
    if extreme is not None:
        return Piece(text=extreme.text, sources=(extreme.statement,))
    if view.shape.kind == "list" and not names_a_row(view, rows):
        whole = column_list(view, rows)
        if whole:
            return Piece(text=whole, sources=tuple(rows))
    if view.shape.yes_no:
        polarity = decide(view, row)
        reading = closed(row.text)
        return Piece(text=f"{polarity.capitalize()}: {reading}" if polarity else reading, sources=(row,))
    cell = choose_cell(view, row) if view.shape.kind != "comparison" else None
    return Piece(text=cell.text if cell is not None else closed(row.text), sources=(row,))


def _support(
    view: QuestionView, scored: Sequence[ScoredStatement], statements: Sequence[Statement], main: Piece
) -> list[Piece]:
    """Add the sentences that hold what was asked and the first lacks, or that were nearly as likely the answer."""
    total = sum(math.exp(each.score - scored[0].score) for each in scored)
    sure = 1.0 / total
    said = main.text
    pieces: list[Piece] = []
    for each in scored[:8]:
        if len(pieces) + 1 >= _MAX_SENTENCES or each.conflict or _is_beside(each.statement, main, view):
            continue
        ratio = math.exp(each.score - scored[0].score)
        if ratio < 0.08:
            break
        piece = make_piece(view, each.statement)
        if each.statement.text.endswith(":"):
            announced = _announced(view, each.statement, scored, statements)
            if announced is None or announced.listing:
                continue
            piece = announced
        text = piece.text
        adds = coverage(view.concepts, read_words(f"{said} {text}")) - coverage(view.concepts, read_words(said))
        close = ratio >= _SUPPORT_RATIO and sure < _SURE and not pieces
        wanted = adds > (0.1 if view.shape.kind == "comparison" else 0.2) and ratio >= 0.15
        if (close or wanted) and not _repeats(text, said):
            pieces.append(piece)
            said = f"{said} {text}"
    return pieces


def _is_beside(statement: Statement, main: Piece, view: QuestionView) -> bool:
    """Say whether a statement is in the answer already, or another row of a table whose right row is."""
    if statement in main.sources:
        return True
    if statement.kind != "row" or view.shape.kind == "comparison":
        return False
    return any(each.passage == statement.passage and each.block == statement.block for each in main.sources)


def _repeats(text: str, said: str) -> bool:
    words = read_words(text).stems
    return bool(words) and len(words & read_words(said).stems) >= 0.8 * len(words)


def _says_something(statement: Statement) -> bool:
    return statement.kind != "heading" and not statement.text.endswith("?") and any(c.isalnum() for c in statement.text)


def _is_about(term: str, reading: Reading) -> bool:
    sense = reading.sense
    names = [reading.mention.text, reading.mention.term]
    if sense is not None:
        names += [sense.term, sense.extended_name, *sense.aliases]
    wanted = fold(term)
    return bool(wanted) and any(fold(name) == wanted or fold(name) + "s" == wanted for name in names)
