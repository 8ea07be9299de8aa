"""Clauses: what stands before and behind each verb of a sentence, and how clauses hang together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from golden_lab.triple_extraction.objects import trim
from golden_lab.triple_extraction.tokens import BOUNDARIES, Token, VerbGroup
from golden_lab.triple_extraction.verb_groups import find_verb_groups, says_that
from tools.language.verbs import is_gerund

_LINKING = frozenset({"comma", "stop", "and", "but"})


# An opening phrase with one of these says when or where the claim holds; any other says why, and is no part of it.
_CIRCUMSTANCES = frozenset(
    [
        "in",
        "at",
        "on",
        "during",
        "for",
        "under",
        "with",
        "after",
        "before",
        "within",
        "from",
        "between",
        "without",
        "above",
        "below",
        "per",
    ]
)


@dataclass(slots=True)
class Clause:
    """A verb group with the tokens before it (its subject) and behind it (its object).

    ``link`` is how it hangs on the clause before: "" for none, "same" where it shares that clause's subject, "relative"
    where the subject is the noun before the pronoun. ``condition`` marks a clause that only says when another holds.
    """

    verb: VerbGroup
    subject: list[Token] = field(default_factory=list)
    object: list[Token] = field(default_factory=list)
    link: str = ""
    condition: bool = False
    opener: Token | None = None


@dataclass(slots=True)
class Reading:
    """A sentence while it is read: its tokens, its clauses, when it holds, and the claims found so far."""

    sentence: str
    tokens: tuple[Token, ...]
    clauses: list[Clause] = field(default_factory=list)
    circumstance: list[Token] = field(default_factory=list)
    found: list[tuple[str, str, str]] = field(default_factory=list)


def read_clauses(reading: Reading) -> None:
    """Part the tokens of ``reading`` into its clauses, and note the circumstance that opens the sentence."""
    tokens = reading.tokens
    groups = find_verb_groups(tokens)
    starts: list[int] = []
    for group in groups:
        _add_clause(reading, group, starts)
    for n, clause in enumerate(reading.clauses):
        end = starts[n + 1] if n + 1 < len(starts) else len(tokens)
        clause.object = list(tokens[clause.verb.end : max(end, clause.verb.end)])


def _add_clause(reading: Reading, group: VerbGroup, starts: list[int]) -> None:
    tokens, clauses = reading.tokens, reading.clauses
    floor = clauses[-1].verb.end if clauses else 0
    at = group.start
    while at > floor and tokens[at - 1].kind not in BOUNDARIES:
        at -= 1
    subject = [token for token in tokens[at : group.start] if token.kind != "adverb"]
    opener = tokens[at - 1] if at > floor else None
    previous = clauses[-1] if clauses else None
    if previous is None:
        _first_clause(reading, group, at, subject, opener, starts)
        return
    if opener is None:
        # No mark between the two verbs: "the relay that drives the fan uses 24 V", or a verb within the object.
        if previous.link == "relative" and len(clauses) == 1:
            starts.append(group.start)
            clauses.append(Clause(group, subject=list(previous.subject), link="same"))
        return
    if opener.kind == "relative":
        said = opener.lower == "that" and says_that(previous.verb)
        if subject or said or not _antecedent(tokens, at - 1, floor):
            return
        starts.append(_mark_before(tokens, at - 1, floor))
        copula = previous.verb.base == "be" and not previous.verb.passive and bool(previous.subject)
        antecedent = list(previous.subject) if copula else _antecedent(tokens, at - 1, floor)
        clauses.append(Clause(group, subject=antecedent, link="relative"))
    elif opener.kind == "subordinator" or (opener.lower == "while" and [each.kind for each in subject] == ["pronoun"]):
        return
    elif previous.condition or subject or not group.gerund or opener.kind == "comma":
        if subject and opener.kind in {"and", "comma"} and not _can_be_subject(subject):
            return
        starts.append(_mark_before(tokens, at, floor))
        clauses.append(Clause(group, subject=subject, link="" if subject else "same"))


def _first_clause(
    reading: Reading, group: VerbGroup, at: int, subject: list[Token], opener: Token | None, starts: list[int]
) -> None:
    tokens = reading.tokens
    starts.append(0)
    if opener is not None and opener.kind == "subordinator" and at - 1 <= 1:
        reading.clauses.append(Clause(group, subject=subject, condition=True, opener=opener))
        return
    if opener is not None and opener.kind == "relative" and not subject and _antecedent(tokens, at - 1, 0):
        reading.clauses.append(Clause(group, subject=_antecedent(tokens, at - 1, 0), link="relative"))
        return
    whole = trim(tokens[: group.start])
    comma = next((n for n, token in enumerate(whole) if token.kind == "comma"), None)
    if (
        comma is not None
        and whole
        and (whole[0].kind in {"preposition", "to", "subordinator"} or is_gerund(whole[0].lower))
    ):
        if whole[0].lower in _CIRCUMSTANCES or whole[0].kind == "subordinator":
            reading.circumstance = whole[:comma]
        last = max(n for n, token in enumerate(whole) if token.kind == "comma")
        anew = last + 1 < len(whole) and whole[last + 1].kind == "article" and tokens[group.start - 1].kind != "comma"
        whole = trim(whole[(last if anew else comma) + 1 :])
    elif comma is not None and tokens[group.start - 1].kind != "comma" and _opens_anew(whole, comma):
        whole = trim(whole[comma + 1 :])
    reading.clauses.append(Clause(group, subject=[token for token in whole if token.kind != "adverb"]))


def _opens_anew(whole: Sequence[Token], comma: int) -> bool:
    """Say whether the subject stands behind an opening phrase: "Capable of 5 A, the driver …"."""
    behind = whole[comma + 1 :]
    return (
        bool(behind)
        and behind[0].kind in {"article", "pronoun"}
        and whole[0].kind != "article"
        and not any(token.kind in {"and", "comma"} for token in behind)
    )


def _can_be_subject(tokens: Sequence[Token]) -> bool:
    return tokens[0].kind not in {"preposition", "to"} and any(
        token.kind in {"word", "pronoun", "bracket"} for token in tokens
    )


def _mark_before(tokens: Sequence[Token], at: int, floor: int) -> int:
    while at > floor and tokens[at - 1].kind in _LINKING:
        at -= 1
    return at


def _antecedent(tokens: Sequence[Token], at: int, floor: int) -> list[Token]:
    """Return the noun phrase before a relative pronoun, back to its article or the nearest preposition."""
    end = at
    while end > floor and tokens[end - 1].kind in {"comma", "preposition"}:
        end -= 1
    start = end
    while start > floor and (
        tokens[start - 1].kind in {"word", "number", "bracket"}
        or (tokens[at].lower == "who" and tokens[start - 1].lower in {"of", "the"} and start - 1 > floor)
    ):
        start -= 1
    return list(tokens[start:end])
