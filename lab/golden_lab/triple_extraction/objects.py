"""Objects: what stands behind a verb, parted into the things that are claimed one by one."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from golden_lab.triple_extraction.tokens import Token
from tools.language.verbs import base_form, is_base, is_gerund

# Said of each of the things before it: "temperature and humidity every 30 seconds".
_SHARED_TAIL = frozenset({"every", "within", "after", "before", "during", "until", "per"})
# Behind these verbs "with" names what a thing has; behind any other it may say how it is done.
_HAVING = frozenset(
    "be have include contain feature integrate comprise use provide offer carry employ incorporate".split()  # noqa: SIM905
)
# Nouns that say so little that what stands before "and" most often goes with them too.
_SHARED_HEADS = frozenset(
    """
    limits limit levels level modules module requirements values settings signals signal lines pins ranges range ratings
    systems system conditions inputs outputs controllers stages stage paths rails tracking control management
    """.split()  # noqa: SIM905
)
# "shuts down", "starts up": the end of the verb where nothing follows.
_PHRASAL = frozenset({"down", "up", "off", "out", "back", "away", "on", "over"})
_EMPTY = frozenset({"comma", "stop", "and", "but", "adverb"})


@dataclass(frozen=True, slots=True)
class ObjectParts:
    """The words that belong to the predicate, each thing claimed, and what the things "with" it have."""

    particles: tuple[str, ...]
    parts: tuple[tuple[Token, ...], ...]
    attributes: tuple[tuple[Token, ...], ...]


def part_object(tokens: Sequence[Token], base: str) -> ObjectParts:
    """Part the tokens behind a verb of base form ``base``."""
    rest = trim(_before_stop(tokens))
    particles: list[str] = []
    while rest and _is_particle(rest):
        if rest[0].kind == "to" and len(rest) > 1 and (rest[1].lower == "be" or is_base(rest[1].lower)):
            particles.extend(("to", rest[1].lower))
            base = rest[1].lower
            rest = rest[2:]
            continue
        particles.append(rest[0].lower)
        rest = rest[1:]
        while rest and rest[0].kind == "adverb":
            rest = rest[1:]
    rest, attributes = _with(rest, base, bool(particles))
    between = particles[-1:] == ["between"]
    parts = (tuple(rest),) if between else split_coordinated(rest)
    return ObjectParts(tuple(particles), tuple(part for part in parts if part), attributes)


def split_coordinated(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    """Part "A, B and C" into its members; what is not plainly a list of things stays whole."""
    kept = [token for n, token in enumerate(tokens) if not (token.lower in {"both", "either"} and n == 0)]
    if any(token.lower in {"or", "nor"} for token in kept):
        return (tuple(kept),)
    ands = [n for n, token in enumerate(kept) if token.kind == "and"]
    commas = [n for n, token in enumerate(kept) if token.kind == "comma"]
    if not ands or _is_range(kept, ands[-1]):
        return (_main(kept, commas),)
    edges = sorted((*ands, *(at for at in commas if not _is_modifier(kept, at))))
    pieces = [trim(piece) for piece in _cut(kept, edges)]
    members = [piece for piece in pieces if piece]
    if len(members) < 2 or not all(_is_thing(member) for member in members):
        return (tuple(kept),)
    if (len(members) == 2 and _shares_head(members[0], members[1])) or _joins_within(members):
        return (tuple(kept),)
    return _with_shared_tail(members)


def trim(tokens: Sequence[Token]) -> list[Token]:
    """Drop marks, conjunctions and adverbs at both ends."""
    found = list(tokens)
    while found and found[0].kind in _EMPTY and not _opens_condition(found):
        found = found[1:]
    while found and (found[-1].kind in _EMPTY - {"adverb"} or found[-1].kind in {"relative", "subordinator"}):
        found = found[:-1]
    return found


def _opens_condition(tokens: Sequence[Token]) -> bool:
    """Say whether "while it is on" stands here, which says when the claim holds."""
    return tokens[0].lower == "while" and len(tokens) > 1 and tokens[1].kind == "pronoun"


def _main(tokens: Sequence[Token], commas: Sequence[int]) -> tuple[Token, ...]:
    """Leave out an afterthought behind a comma: "…, such as", "…, including"; anything else belongs to the object."""
    for at in commas:
        if at + 1 < len(tokens) and tokens[at + 1].lower in {"such", "including", "for", "thus", "so", "thereby"}:
            return tuple(tokens[:at])
    return tuple(tokens)


def _before_stop(tokens: Sequence[Token]) -> list[Token]:
    for n, token in enumerate(tokens):
        if token.kind == "stop" and n > 0:
            return list(tokens[:n])
        if token.lower == "so" and n + 1 < len(tokens) and tokens[n + 1].lower == "that":
            return list(tokens[:n])
        if token.lower == "order" and n and tokens[n - 1].lower == "in" and tokens[n + 1 : n + 2]:
            return list(tokens[: n - 1])
    return list(tokens)


def _is_particle(tokens: Sequence[Token]) -> bool:
    first = tokens[0]
    if len(tokens) < 2:
        return first.lower in _PHRASAL
    following = tokens[1].lower
    comparing = first.lower in {"over", "above", "below", "under", "up", "at"} and (
        tokens[1].kind == "number" or following in {"least", "most"} or (first.lower == "up" and following == "to")
    )
    if comparing and not (first.lower == "at" and tokens[1].kind == "number"):
        return False
    if first.lower in {"about", "around"} and tokens[1].kind == "number":
        return False
    if first.lower in {"like", "than", "before", "after", "without", "until", "when"}:
        return first.lower == "after" and tokens[1].kind == "number"
    return first.kind in {"preposition", "to"}


def _with(tokens: list[Token], base: str, has_particle: bool) -> tuple[list[Token], tuple[tuple[Token, ...], ...]]:
    if base not in _HAVING or has_particle:
        return tokens, ()
    for n, token in enumerate(tokens):
        if n and token.lower in {"with", "featuring"} and tokens[n + 1 :] and tokens[n - 1].kind in {"word", "bracket"}:
            if any(each.kind == "comma" for each in tokens[:n]) or tokens[n + 1].kind == "relative":
                break
            return tokens[:n], split_coordinated(tokens[n + 1 :])
    return tokens, ()


def _is_modifier(tokens: Sequence[Token], comma: int) -> bool:
    """Say whether a comma parts two modifiers of one noun: "a low-power, 12-bit converter"."""
    before = tokens[comma - 1]
    return (
        comma > 0
        and (("-" in before.text and before.text[:1].isalnum() and before.text.islower()) or before.text[:1].isdigit())
        and (comma == 1 or tokens[comma - 2].kind in {"article", "comma"})
        and tokens[comma + 1 :][:1] != []
        and tokens[comma + 1].kind not in {"and", "article"}
    )


def _joins_within(members: Sequence[Sequence[Token]]) -> bool:
    """Say whether "and" joins what hangs on a preposition: "a range of sources and frequencies"."""
    hanging = any(token.kind in {"preposition", "to"} for token in members[0][1:])
    last = members[-1]
    return hanging and last[0].kind != "article" and not any(token.kind in {"preposition", "to"} for token in last)


def _is_range(tokens: Sequence[Token], at: int) -> bool:
    before = [token.lower for token in tokens[:at]]
    return "between" in before or (
        bool(before)
        and tokens[at - 1].kind == "number"
        and tokens[at + 1 :][:1] != []
        and (tokens[at + 1].kind == "number")
    )


def _cut(tokens: Sequence[Token], places: Sequence[int]) -> list[list[Token]]:
    edges = [-1, *places, len(tokens)]
    return [list(tokens[a + 1 : b]) for a, b in itertools.pairwise(edges)]


def _is_thing(tokens: Sequence[Token]) -> bool:
    first = tokens[0]
    if first.kind in {"modal", "be", "have", "do", "subordinator", "relative", "to", "pronoun"}:
        return False
    if first.kind == "preposition" or (is_gerund(first.lower) and len(tokens) > 2):
        return False
    return not any(token.kind in {"modal", "be", "relative", "subordinator"} for token in tokens)


def _shares_head(first: Sequence[Token], second: Sequence[Token]) -> bool:
    """Say whether the last noun belongs to both: "voltage and current limits", "input and output modules"."""
    head = [token for token in first if token.kind != "article"]
    behind = []
    for token in second:
        if token.kind in {"article", "preposition", "to", "number"}:
            break
        behind.append(token)
    if second[0].kind in {"article", "number"} or len(head) != 1 or len(behind) < 2:
        return False
    plain = head[0].text.islower() and not head[0].lower.endswith("s") and behind[-1].lower in _SHARED_HEADS
    return plain and base_form(behind[-1].lower) != head[0].lower


def _with_shared_tail(members: list[list[Token]]) -> tuple[tuple[Token, ...], ...]:
    last = members[-1]
    at = next((n for n, token in enumerate(last) if n and token.lower in _SHARED_TAIL), len(last))
    tail = last[at:]
    if not tail or any(token.kind == "preposition" for member in members[:-1] for token in member):
        return tuple(tuple(member) for member in members)
    return tuple((*member, *tail) if member is not last else tuple(member) for member in members)
