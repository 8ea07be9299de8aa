"""A writer of cloze questions: a sentence with its most informative piece left out."""

import re
import time
from collections.abc import Iterator

from contracts.provenance import Provenance
from contracts.text import Passage, Span
from contracts.verdicts import WrittenQuestion, WrittenQuestions
from intrinsics.question_writing.standing import GAP, distinct, place_of, stands_alone
from tools.language import STOP_WORDS, find_piece, find_quantities, find_words, fold
from tools.language.verbs import base_form, is_third_person
from tools.reading import Statement, read_statements
from tools.reading.concepts import is_code, word_weight
from tools.reading.statements import is_pointer, leads_in

_MAX_CHARACTERS = 20_000
_MOST = 8
_FEWEST_WORDS, _MOST_WORDS = 7, 28
# So many words that matter must be left to tell which sentence is meant, and one of them must be a rare one or a code.
_FEWEST_CLUES = 4
_TELLING = 0.5
_FEWEST_DIGITS = 2
_OPENING = re.compile(
    r"^(?:but|and|or|so|then|however|therefore|thus|hence|also|otherwise|instead|both|each of|for example|for instance|"
    r"in addition|as a result|finally|first|second|third|next|all of|one of|no|there)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"^[A-Z0-9“\"][^:;|<>{}\[\]]*\.$")
# "That resistor" was spoken of before.
_SHOWING = re.compile(r"\b[Tt]hat (?:\w+ ){1,3}(?:is|are|was|were|has|have|can|must|may|will)\b")
_QUOTED = re.compile(r"[\"“”„]")
# Two words in capitals and more, with the small ones between them: "Marit Dahl", "Power Loss Recovery".
_NAME = re.compile(
    r"(?<!\w)(?!(?:The|A|An|Each|Every|All|In|On|At|For|No) )[A-Z][a-z]+"
    r"(?:[- ](?:(?:of|the|for) )?[A-Z][a-zA-Z]+)+(?!\w)"
)
_MODAL = re.compile(r"\b(?:is|are|was|were|must|can|may|will|should|shall|has|have|does|do)\b")
_RANGED = re.compile(r"\b(?:to|between|from|by|x|×|–|-)\s*$|^\s*(?:to|–|-|x|×|by)\s*[-+±]?\d")
# One of several things in a row may change places with its neighbours.
_LISTED = re.compile(r"(?:,|\b(?:and|or))(?: the| an?)?\s*$"), re.compile(r"^(?:,|\s+(?:and|or)\b)")
_DECADE = re.compile(r"(?:19|20)\d0 ?s")


class ClozeQuestionWriter:
    """Leaves out a figure with its unit, a name or a code of a sentence that says enough beside it to be known by.

    A sentence that points at another one, lists, quotes or opens with a conjunction makes none.
    """

    async def write(self, passage: Passage) -> WrittenQuestions:
        """Write one question for each sentence of ``passage`` that makes one, each understandable alone, best first.

        At most eight; a passage of more than 20 000 characters makes none.
        """
        started = time.perf_counter()
        found: list[tuple[float, WrittenQuestion]] = []
        if len(passage.text) <= _MAX_CHARACTERS:
            for statement in read_statements(passage, 0):
                if statement.kind == "sentence" or (statement.kind == "item" and statement.mark):
                    found += _best(statement, passage)
        found.sort(key=lambda pair: -pair[0])
        return WrittenQuestions(
            questions=distinct(written for _, written in found)[:_MOST],
            provenance=Provenance(implementation="embedded", milliseconds=(time.perf_counter() - started) * 1_000),
        )


def _best(statement: Statement, passage: Passage) -> list[tuple[float, WrittenQuestion]]:
    sentence = " ".join(re.sub(r"[*`]+", "", statement.text).split())
    if not _makes_one(sentence):
        return []
    written = []
    for merit, asked, span in _pieces(sentence):
        answer = sentence[span.start : span.end]
        question = f"{asked} fills the gap in “{sentence[: span.start]}{GAP}{sentence[span.end :].rstrip('.')}”?"
        evidence = find_piece(answer, passage.text, place_of(statement, passage))
        clues = _clues(sentence[: span.start] + " " + sentence[span.end :])
        if (
            evidence is None
            or len(clues) < _FEWEST_CLUES
            or max(clues) < _TELLING
            or not stands_alone(question, answer)
        ):
            continue
        told = sum(sorted(clues)[-_FEWEST_CLUES:]) / _FEWEST_CLUES
        written.append((merit + told, WrittenQuestion(question=question, answer=answer, evidence=evidence)))
    return sorted(written, key=lambda pair: -pair[0])[:1]


def _makes_one(sentence: str) -> bool:
    words = sentence.split()
    return (
        _FEWEST_WORDS <= len(words) <= _MOST_WORDS
        and bool(_PLAIN.match(sentence))
        and not _QUOTED.search(sentence)
        and not _SHOWING.search(sentence)
        and not _OPENING.match(sentence)
        and not leads_in(sentence)
        and not is_pointer(sentence)
        and (bool(_MODAL.search(sentence)) or any(_is_verb(word) for word in words))
    )


def _is_verb(word: str) -> bool:
    return word.islower() and is_third_person(word) and bool(base_form(word))


def _pieces(sentence: str) -> Iterator[tuple[float, str, Span]]:
    """Yield what can be left out: its merit in [0, 1], what is asked for, and where it stands."""
    for quantity in find_quantities(sentence):
        span = quantity.span
        if _RANGED.search(sentence[: span.start]) or _RANGED.search(sentence[span.end :]):
            continue
        if quantity.unit and not _DECADE.fullmatch(sentence[span.start : span.end]):
            yield from _alone(1.0, "Which value", sentence, span)
        elif not quantity.unit and span.end - span.start >= _FEWEST_DIGITS:
            yield from _alone(0.7, "Which number", sentence, span)
    for match in _NAME.finditer(sentence):
        yield from _alone(0.8, "Which name", sentence, Span(match.start(), match.end()))
    for word in find_words(sentence):
        if is_code(word.text) and any(letter.isupper() for letter in word.text):
            yield from _alone(0.6, "Which name", sentence, word.span)


def _alone(merit: float, asked: str, sentence: str, span: Span) -> Iterator[tuple[float, str, Span]]:
    """Yield a piece that stands once in its sentence, as words of their own, not in brackets and not in a list."""
    piece, before, behind = sentence[span.start : span.end], sentence[: span.start], sentence[span.end :]
    joined = re.search(r"[\w()/_#+=^-]", before[-1:] + behind[:1]) or before.count("(") > before.count(")")
    listed = _LISTED[0].search(before) or _LISTED[1].search(behind)
    if sentence.count(piece) == 1 and not joined and not listed:
        yield merit, asked, span


def _clues(rest: str) -> list[float]:
    return [word_weight(word.text) for word in find_words(rest) if fold(word.text) not in STOP_WORDS]
