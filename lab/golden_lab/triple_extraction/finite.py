"""Whether a word that can be a verb is one here: told by its place, its form and the words around it."""

from collections.abc import Sequence

from golden_lab.triple_extraction.tokens import BOUNDARIES, Token, VerbGroup
from tools.language.verbs import (
    has_same_past,
    is_also_noun,
    is_base,
    is_participle,
    is_past,
    is_third_person,
)

_NOMINAL = frozenset({"word", "number", "bracket", "pronoun"})


_BEFORE_NOUNS = frozenset({"article", "preposition"})


def is_finite(tokens: Sequence[Token], at: int, groups: Sequence[VerbGroup]) -> bool:
    """Say whether a verb form without a helper is a clause's verb here rather than a noun or a participle."""
    token = tokens[at]
    first = _clause_start(tokens, at)
    before = tokens[first:at]
    previous = tokens[at - 1] if at else None
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if previous is None or (previous.kind in {"article", "to", "number"} and not _is_name_number(tokens, at - 1)):
        return False
    if before[:1] and before[0].kind == "preposition" and is_also_noun(token.lower):
        return False
    if previous.kind == "preposition" or (previous.kind == "adverb" and not before):
        return False
    if token.text[:1].isupper() and at > 0:
        return False
    opened = [group for group in groups if first <= group.start < at]
    if opened and not _closes_relative(tokens, first, opened, at):
        return False
    shares = bool(groups) and not before and previous.kind in {"and", "but", "comma"}
    if shares:
        return _agrees_with(groups[-1], token, following)
    past = is_past(token.lower) and not is_base(token.lower)
    if (
        previous.kind == "comma"
        and not groups
        and not past
        and _has_noun(tokens[:at])
        and tokens[0].kind != "preposition"
    ):
        # Behind an apposition: "The KT55, a converter, delivers …".
        before = tokens[:at]
    elif not _has_noun(before) and previous.kind != "relative":
        return False
    if is_past(token.lower) and not is_base(token.lower):
        return _is_past_verb(tokens, at, following)
    if has_same_past(token.lower) and following is not None and following.kind in {"article", "number", "word"}:
        return not any(is_surely_verb(tokens, n) for n in range(at + 1, clause_end(tokens, at + 1)))
    return _agrees(previous, token) and _place_fits(tokens, at, before, following)


def _clause_start(tokens: Sequence[Token], at: int) -> int:
    start = at
    while start > 0 and tokens[start - 1].kind not in BOUNDARIES:
        start -= 1
    return start


def _closes_relative(tokens: Sequence[Token], first: int, opened: Sequence[VerbGroup], at: int) -> bool:
    """Say whether a verb is the main one behind a relative clause: "people who work nights receive a bonus"."""
    relative = first > 0 and tokens[first - 1].kind == "relative" and opened[0].start == first
    acts = at + 1 < len(tokens) and tokens[at + 1].kind in {"article", "number"} and is_third_person(tokens[at].lower)
    sure = (acts or not is_also_noun(tokens[at].lower)) and not is_past(tokens[at].lower)
    return relative and sure and len(opened) == 1 and _has_noun(tokens[opened[0].end : at])


def _has_noun(tokens: Sequence[Token]) -> bool:
    return any(token.kind in _NOMINAL for token in tokens)


def _is_name_number(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a number belongs to a name: "Pin 3 controls", "release 4.2 introduces"."""
    return at > 0 and tokens[at].kind == "number" and tokens[at - 1].kind == "word"


def _agrees(previous: Token, token: Token) -> bool:
    """Say whether subject and verb agree: "outputs run", "module runs"."""
    plural = previous.lower in {"they", "we", "you", "i", "that", "which", "who"} or (
        (previous.lower.endswith("s") and not previous.lower.endswith("ss"))
        or previous.lower in {"people", "staff", "data", "children"}
    )
    if is_third_person(token.lower):
        return True
    return plural or previous.kind == "bracket" or not is_also_noun(token.lower)


def _place_fits(tokens: Sequence[Token], at: int, before: Sequence[Token], following: Token | None) -> bool:
    previous = tokens[at - 1]
    if previous.kind in {"pronoun", "relative"}:
        return True
    third = is_third_person(tokens[at].lower)
    if third and not is_also_noun(tokens[at].lower):
        return True
    if not third and any(_is_present(tokens, n) for n in range(at + 1, clause_end(tokens, at + 1))):
        return False
    later = any(is_surely_verb(tokens, n) for n in range(at + 1, clause_end(tokens, at + 1)))
    if later:
        return False
    if following is None:
        return False
    return following.kind in {
        "article",
        "number",
        "preposition",
        "adverb",
        "to",
        "pronoun",
        "word",
        "subordinator",
        "relative",
    }


def _is_present(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word may be a verb in the third person: not right behind an article or a preposition."""
    return is_third_person(tokens[at].lower) and tokens[at - 1].kind not in _BEFORE_NOUNS and at + 1 < len(tokens)


def is_surely_verb(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word is a verb whatever stands around it: a helper, or a third person that is no plural noun."""
    token = tokens[at]
    if is_helper(tokens, at):
        return True
    if token.kind != "word" or not is_third_person(token.lower) or tokens[at - 1].kind in _BEFORE_NOUNS:
        return False
    following = tokens[at + 1].kind if at + 1 < len(tokens) else "stop"
    return not is_also_noun(token.lower) or following == "article"


def is_helper(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word is a modal or a form of be, have or do that can stand alone."""
    token = tokens[at]
    return token.kind in {"modal"} or token.lower in {"is", "are", "was", "were", "has", "have", "does"}


def clause_end(tokens: Sequence[Token], at: int) -> int:
    """Return the place of the next mark or word that ends a clause, from ``at`` on."""
    while at < len(tokens) and tokens[at].kind not in BOUNDARIES:
        at += 1
    return at


def _is_past_verb(tokens: Sequence[Token], at: int, following: Token | None) -> bool:
    """Say whether "-ed" is the clause's verb: no other verb follows in the clause, and no "by" makes it passive."""
    if following is None:
        return True
    if following.lower == "by" and tokens[at].lower not in {"led"}:
        return False
    return not any(is_surely_verb(tokens, n) for n in range(at + 1, clause_end(tokens, at + 1))) and (
        following.kind
        in {"article", "number", "preposition", "to", "pronoun", "adverb", "word", "relative", "comma", "stop", "and"}
    )


def _agrees_with(group: VerbGroup, token: Token, following: Token | None) -> bool:
    """Say whether a verb behind "and" or a comma has the form of the one before it, so that it shares its subject."""
    if following is None or following.kind in {"and", "comma", "stop", "be", "modal", "have"}:
        return False
    first = group.words[0]
    modal = (
        len(group.words) > 1 and not group.passive and first not in {"is", "are", "was", "were", "has", "have", "had"}
    )
    if group.passive:
        return (is_participle(token.lower) and following.kind in {"preposition", "to"}) or is_third_person(token.lower)
    if modal or group.imperative:
        return is_base(token.lower) and (
            following.kind in {"article", "number", "to", "preposition"} or not is_also_noun(token.lower)
        )
    if is_past(first) or first in {"was", "were", "had"}:
        return is_past(token.lower)
    same = is_third_person(token.lower) or (is_base(token.lower) and not is_also_noun(token.lower))
    return same and (
        not is_also_noun(token.lower) or following.kind in {"article", "number", "preposition", "pronoun", "to", "word"}
    )
