"""The answer to train on: the short piece of the passage, or a sentence that says it in full."""

import re

from contracts.text import Passage
from contracts.verdicts import WrittenQuestion
from intrinsics.question_writing.standing import GAP, points_elsewhere
from tools.language import split_sentences

_STANDS_FOR = re.compile(r"^What does (?P<term>.+) stand for\?$")
_IS = re.compile(r"^What (?P<verb>is|are|was|were) (?P<subject>(?:the|an?) .+|[A-Z0-9].*)\?$")
_HAS = re.compile(r"^How many (?P<things>.+) (?P<verb>does|do) (?P<owner>.+) have\?$")
_OFTEN = re.compile(r"^How often (?P<verb>is|are) (?P<what>the .+) done\?$")
_WHO = re.compile(r"^Who (?!does\b|do\b|did\b)(?P<did>.+)\?$")
_CLOZE = re.compile(r"“(?P<sentence>[^”]+)”\?$")
_MOST_WORDS = 45


def full_answer(written: WrittenQuestion, passage: Passage) -> str:
    """Return the answer as a sentence: the question's own words put around it, or the passage's sentence.

    Where neither makes a sentence that can be understood alone it stays the short piece.
    """
    return _told(written) or _sentence_of(written, passage) or _who_did(written) or written.answer


def _told(written: WrittenQuestion) -> str:
    answer = written.answer.rstrip(" .")
    cloze = _CLOZE.search(written.question)
    if cloze and GAP in written.question:
        return cloze.group("sentence").replace(GAP, answer) + "."
    owned = _HAS.match(written.question)
    if owned:
        things, verb = owned.group("things"), "has" if owned.group("verb") == "does" else "have"
        number = answer.removesuffix(" " + things.split()[-1])
        return f"{_capital(owned.group('owner'))} {verb} {number} {things}."
    often = _OFTEN.match(written.question)
    if often:
        return f"{_capital(often.group('what'))} {often.group('verb')} done {answer}."
    term = _STANDS_FOR.match(written.question)
    if term:
        return f"{term.group('term')} stands for {_plain(answer)}."
    subject = _IS.match(written.question)
    return f"{_capital(subject.group('subject'))} {subject.group('verb')} {answer}." if subject else ""


def _who_did(written: WrittenQuestion) -> str:
    who = _WHO.match(written.question)
    answer = written.answer.rstrip(" .")
    return f"{answer[0].upper()}{answer[1:]} {who.group('did')}." if who else ""


def _sentence_of(written: WrittenQuestion, passage: Passage) -> str:
    for span in passage.sentences or split_sentences(passage.text):
        if span.start <= written.evidence.start and written.evidence.end <= span.end:
            raw = passage.text[span.start : span.end].strip()
            sentence = re.sub(r"^\s*(?:[•◦▪●*–-]|\d{1,2}[.)])\s+", "", " ".join(raw.split()))
            whole = sentence[:1].isupper() or sentence[:1].isdigit()
            if not whole or not sentence.endswith(".") or " | " in sentence or len(sentence.split()) > _MOST_WORDS:
                return ""
            return "" if points_elsewhere(sentence) else sentence
    return ""


def _plain(name: str) -> str:
    """Take the capital off a long form that only began its sentence: "Garbage collection", not "Data Loss"."""
    first, *rest = name.split()
    began = first[1:].islower() and any(word[:1].islower() for word in rest) and not any(map(_is_capital, rest))
    return name[0].lower() + name[1:] if began else name


def _is_capital(word: str) -> bool:
    return word[:1].isupper()


def _capital(text: str) -> str:
    # A name that is written in a case of its own keeps it: tBERS, lotview.
    first = text.split()[0]
    return text[0].upper() + text[1:] if first.islower() and first in {"the", "a", "an"} else text
