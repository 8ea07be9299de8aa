"""Sentences: the claims of one, its pronouns and missing subjects put in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from golden_lab.triple_extraction.clauses import Clause, Reading, read_clauses
from golden_lab.triple_extraction.objects import part_object, split_coordinated, trim
from golden_lab.triple_extraction.tokens import Token, VerbGroup, read_tokens
from tools.language.verbs import is_participle, third_person

_CONTRACTED = re.compile(
    r"\b(?P<who>it|he|she|they|we|you|I|there|that|here|what|who)['’](?P<verb>s|re|ll|ve|m)\b", re.IGNORECASE
)
_FULL = {"s": "is", "re": "are", "ll": "will", "ve": "have", "m": "am"}
_THIRD = frozenset({"it", "they", "he", "she", "this", "these", "that", "those", "them", "him"})


@dataclass(slots=True)
class Discourse:
    """What has been spoken of: the heading's subject, the last subject and the last object."""

    heading: str = ""
    subject: str = ""
    object: str = ""

    @property
    def implied(self) -> str:
        """The subject of a statement that names none: the heading's, "" for the whole."""
        return self.heading


def sentence_claims(sentence: str, discourse: Discourse) -> list[tuple[str, str, str]]:
    """Read the claims of a sentence as subject, predicate and object in its own words; ``discourse`` is carried on.

    A question has none.
    """
    if sentence.rstrip().endswith("?"):
        return []
    sentence = _CONTRACTED.sub(lambda match: f"{match['who']} {_FULL[match['verb'].lower()]}", sentence)
    reading = Reading(sentence, read_tokens(sentence))
    read_clauses(reading)
    subjects: list[str] = []
    for clause in reading.clauses:
        subjects = _subjects(clause, reading, discourse, subjects)
        if clause.condition or not subjects:
            continue
        for subject in subjects:
            _claim(subject, clause, reading, discourse)
        if clause.link != "relative":
            discourse.subject = subjects[0]
    return reading.found


def open_relation(sentence: str, discourse: Discourse) -> tuple[str, str] | None:
    """Read subject and predicate of a sentence that leads a list in ("The module provides:"), None for any other."""
    reading = Reading(sentence, read_tokens(sentence.rstrip(" :")))
    read_clauses(reading)
    if not reading.clauses:
        return None
    clause = reading.clauses[0]
    subjects = _subjects(clause, reading, discourse, [])
    rest = [token for token in clause.object if token.lower not in {"the", "following"}]
    if clause.condition or not subjects or len(rest) > 2 or clause.subject[:1] == []:
        return None
    words = [*clause.verb.words, *(token.lower for token in rest if token.kind in {"preposition", "to"})]
    return subjects[0], " ".join(words)


def _subjects(clause: Clause, reading: Reading, discourse: Discourse, before: list[str]) -> list[str]:
    """Return what a clause speaks of, each member of "A and B" by itself."""
    if clause.condition:
        reading.circumstance = [
            token for token in reading.tokens if clause.opener and token.start >= clause.opener.start
        ]
        end = clause.object[-1].end if clause.object else reading.tokens[clause.verb.end - 1].end
        reading.circumstance = trim([token for token in reading.circumstance if token.end <= _clause_end(clause, end)])
        return []
    if clause.verb.imperative:
        return [discourse.implied]
    if not clause.subject:
        return before or (
            [discourse.subject or discourse.implied] if clause.link == "same" or clause.verb.gerund else []
        )
    first = clause.subject[0]
    if len(clause.subject) == 1 and first.lower in _THIRD:
        return [
            before[0]
            if before and clause.link == "" and len(reading.clauses) > 1
            else discourse.subject or discourse.implied
        ]
    if first.lower == "there":
        return [discourse.implied]
    resumed = " ".join(token.lower for token in clause.subject[1:])
    if first.lower in {"this", "these", "the"} and resumed and discourse.subject.casefold().endswith(f" {resumed}"):
        return [discourse.subject]
    named = _apposition(clause.subject, reading)
    if named:
        return [named]
    comma = next((n for n, token in enumerate(clause.subject) if token.kind == "comma"), 0)
    described = comma and comma + 1 < len(clause.subject) and is_participle(clause.subject[comma + 1].lower)
    named_tokens = _without_article(clause.subject[:comma] if described else clause.subject)
    return [_words(reading, part, discourse) for part in split_coordinated(named_tokens) if part]


def _clause_end(clause: Clause, end: int) -> int:
    comma = next((token for token in clause.object if token.kind == "comma"), None)
    return comma.start if comma is not None else end


def _without_article(tokens: Sequence[Token]) -> list[Token]:
    return list(tokens[1:] if tokens[0].kind == "article" and tokens[0].lower not in {"no", "some"} else tokens)


def _apposition(subject: Sequence[Token], reading: Reading) -> str:
    """Read "XA340, an amplifier," as a claim and as the subject "amplifier (XA340)"."""
    commas = [n for n, token in enumerate(subject) if token.kind == "comma"]
    if len(commas) != 1 or commas[0] + 1 >= len(subject) or subject[commas[0] + 1].lower not in {"a", "an", "the"}:
        return ""
    name = _text(reading, _without_article(subject[: commas[0]]))
    category = _text(reading, subject[commas[0] + 2 :])
    if not name or not category:
        return ""
    reading.found.append((name, "is", category))
    return f"{category} ({name})" if len(name.split()) == 1 else name


def _claim(subject: str, clause: Clause, reading: Reading, discourse: Discourse) -> None:
    verb = clause.verb
    parts = part_object(clause.object, verb.base)
    words = list(verb.words)
    if clause.subject and clause.subject[0].lower == "there" and verb.base == "be":
        words = ["has" if word in {"is", "are", "was", "were", "be"} else word for word in words]
    predicate = " ".join([*words, *parts.particles])
    circumstance = _text(reading, reading.circumstance)
    circumstance = (
        circumstance[:1].lower() + circumstance[1:]
        if reading.circumstance and circumstance[:2].istitle()
        else circumstance
    )
    if not parts.parts:
        _intransitive(subject, verb, parts.particles, circumstance, reading)
    for part in parts.parts:
        value = _object_text(reading, part, discourse)
        reading.found.append((subject, predicate, f"{value} {circumstance}".strip()))
        discourse.object = value
    owner = subject if verb.base == "be" or not parts.parts else _text(reading, parts.parts[-1])
    for attribute in parts.attributes:
        reading.found.append((owner, "has", _text(reading, attribute)))
    reading.circumstance = []


def _intransitive(subject: str, verb: VerbGroup, particles: Sequence[str], circumstance: str, reading: Reading) -> None:
    words = list(verb.words)
    if len(words) == 1:
        if verb.base in {"be", "have", "do"} or verb.gerund:
            return
        words = ["does", verb.base] if words[0] == third_person(verb.base) else ["did", verb.base]
    if circumstance:
        reading.found.append((subject, " ".join([*verb.words, *particles]), circumstance))
    else:
        reading.found.append((subject, " ".join(words[:-1]), " ".join([words[-1], *particles])))


def _object_text(reading: Reading, part: Sequence[Token], discourse: Discourse) -> str:
    if part[0].lower in {"it", "them", "him"}:
        stood = discourse.object if part[0].lower == "them" and discourse.object else discourse.subject
        return f"{stood} {_text(reading, part[1:])}".strip()
    return _text(reading, part)


def _words(reading: Reading, part: Sequence[Token], discourse: Discourse) -> str:
    """Return a subject's words; "its efficiency" keeps only the efficiency, as the normal form has no possessives."""
    text = _text(reading, part)
    return (discourse.subject or text) if text.casefold() in _THIRD else text


def _text(reading: Reading, tokens: Sequence[Token]) -> str:
    """Return the words of ``tokens`` as they stand in the sentence, without what was left out between them."""
    pieces: list[str] = []
    last = -1
    for token in tokens:
        if token.start == last or not pieces or token.kind in {"comma", "stop"}:
            pieces.append(token.text)
        else:
            pieces.append(" " + token.text)
        last = token.end
    return "".join(pieces).strip(" ,;:.")
