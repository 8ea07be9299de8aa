"""Clauses: the verbs of a sentence, and what stands before and behind each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from intrinsics.triple_extraction.tokens import Token
from tools.language.verbs import (
    base_form,
    has_same_past,
    is_also_noun,
    is_base,
    is_gerund,
    is_participle,
    is_past,
    is_third_person,
    third_person,
)

_BOUNDARIES = frozenset({"comma", "stop", "and", "but", "relative", "subordinator"})
_NOMINAL = frozenset({"word", "number", "bracket", "pronoun"})
_BEFORE_NOUNS = frozenset({"article", "preposition"})
# Behind these verbs "that" begins what is said, not a relative clause.
_SAYING = frozenset(
    """
    ensure verify check confirm state show indicate mean require assume believe say know specify guarantee suggest find
    note report explain claim argue think decide announce assure recommend prove demonstrate see
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A verb with its helpers: the tokens from ``start`` to before ``end``, and its words in normal order.

    ``base`` is the main verb's base form ("be" for a copula); ``passive`` says that it is one.
    """

    start: int
    end: int
    words: tuple[str, ...]
    base: str
    passive: bool = False
    gerund: bool = False
    imperative: bool = False


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


def find_verb_groups(tokens: Sequence[Token]) -> list[VerbGroup]:
    """Find the finite verbs of a sentence, and the participles behind a comma, in order."""
    groups: list[VerbGroup] = []
    at = 0
    while at < len(tokens):
        group = _group_at(tokens, at, groups)
        if group is None:
            at += 1
        else:
            groups.append(group)
            at = group.end
    return groups or _unknown_verb(tokens)


def _unknown_verb(tokens: Sequence[Token]) -> list[VerbGroup]:
    """Take a word in -s or -ed before an article or a number for a verb that no list holds ("scrapes the endpoint")."""
    for at in range(1, len(tokens) - 1):
        token = tokens[at]
        form = (
            token.kind == "word" and token.text.islower() and token.lower.endswith(("s", "ed")) and len(token.lower) > 3
        )
        if (
            form
            and tokens[at + 1].kind in {"article", "number"}
            and tokens[at - 1].kind in {"word", "bracket", "pronoun"}
        ):
            return [VerbGroup(at, at + 1, (token.lower,), token.lower)]
    return []


def _group_at(tokens: Sequence[Token], at: int, groups: Sequence[VerbGroup]) -> VerbGroup | None:
    token = tokens[at]
    if token.kind == "modal" or (
        token.kind in {"be", "have", "do"} and token.lower not in {"being", "been", "be", "having"}
    ):
        return _with_helpers(tokens, at)
    if token.kind != "word" or not base_form(token.lower):
        return None
    if is_gerund(token.lower):
        before = at - 2 if at > 1 and tokens[at - 1].kind == "adverb" else at - 1
        behind_comma = before >= 0 and tokens[before].kind == "comma" and _is_followed_by_noun(tokens, at + 1)
        return (
            VerbGroup(at, at + 1, (third_person(base_form(token.lower)),), base_form(token.lower), gerund=True)
            if behind_comma
            else None
        )
    if _is_imperative(tokens, at):
        return VerbGroup(at, at + 1, ("shall", base_form(token.lower)), base_form(token.lower), imperative=True)
    return _plain(tokens, at, groups) if _is_finite(tokens, at, groups) else None


def _plain(tokens: Sequence[Token], at: int, groups: Sequence[VerbGroup]) -> VerbGroup:
    token = tokens[at]
    base = base_form(token.lower)
    if is_past(token.lower) and not is_base(token.lower):
        return VerbGroup(at, at + 1, (token.lower,), base)
    return VerbGroup(at, at + 1, (third_person(base),), base)


def _with_helpers(tokens: Sequence[Token], at: int) -> VerbGroup:
    """Read on from a modal or a helper verb to the main verb."""
    words = [tokens[at].lower]
    end = at + 1
    base = {"be": "be", "have": "have", "do": "do"}.get(tokens[at].kind, "")
    passive = False
    while end < len(tokens):
        token = tokens[end]
        if token.kind == "adverb" and _verb_follows(tokens, end + 1):
            end += 1
            continue
        if token.kind == "not":
            words.append("not")
        elif token.kind == "to" and base == "have" and end + 1 < len(tokens) and _is_infinitive(tokens[end + 1]):
            words.append("to")
        elif token.kind in {"be", "have"} and token.lower in {"be", "been", "have", "being"}:
            words.append(token.lower)
            base = "be" if token.kind == "be" else "have"
        elif token.kind == "word" and _continues(token, words, base, tokens, end):
            words.append(token.lower)
            passive = base == "be" and is_participle(token.lower)
            base = base_form(token.lower) or token.lower
            return VerbGroup(at, end + 1, _ordered(words, base, passive), base, passive)
        else:
            break
        end += 1
    return VerbGroup(at, end, tuple(words), base or "be")


def _continues(token: Token, words: Sequence[str], base: str, tokens: Sequence[Token], at: int) -> bool:
    if not base or words[-1] == "to" or (base == "do" and is_base(token.lower)):
        return bool(base_form(token.lower)) or not base
    following = tokens[at + 1].kind if at + 1 < len(tokens) else "stop"
    if base == "be":
        plain = is_participle(token.lower) and following not in {"word", "number"} | (
            {"to"} if token.lower == "used" else set()
        )
        return plain or (is_gerund(token.lower) and following in {"article", "number", "word", "preposition"})
    return base == "have" and is_past(token.lower) and "have" not in token.lower


def _is_infinitive(token: Token) -> bool:
    return token.lower == "be" or is_base(token.lower)


def _ordered(words: list[str], base: str, passive: bool) -> tuple[str, ...]:
    """Put a plain statement into the third person: "does not require" stays, "is measuring" is "measures"."""
    if not passive and len(words) == 2 and words[0] in {"is", "are"} and words[1].endswith("ing"):
        return (third_person(base),)
    return tuple(words)


def _verb_follows(tokens: Sequence[Token], at: int) -> bool:
    while at < len(tokens) and tokens[at].kind in {"adverb", "not"}:
        at += 1
    return at < len(tokens) and (
        tokens[at].kind in {"be", "have"}
        or (tokens[at].kind == "word" and (bool(base_form(tokens[at].lower)) or is_participle(tokens[at].lower)))
    )


def _is_imperative(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a base form opens the sentence, or follows such a one behind "and", with something to act on."""
    if not is_base(tokens[at].lower) or tokens[at].text.isupper():
        return False
    opening = at == 0 or (at == 1 and tokens[0].kind in {"adverb", "number"})
    if not opening or at + 1 >= len(tokens):
        return False
    following = tokens[at + 1]
    if any(_sure_verb(tokens, n) for n in range(at + 1, _clause_end(tokens, at + 1))):
        return False
    if following.kind in {"article", "number", "relative", "subordinator"}:
        return True
    if is_also_noun(tokens[at].lower):
        return False
    return following.kind in {"word", "preposition", "to", "adverb"} and not any(
        _certain(tokens, n) for n in range(at + 1, len(tokens))
    )


def _certain(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    return token.kind in {"modal"} or token.lower in {"is", "are", "was", "were", "has", "have", "does"}


def _is_followed_by_noun(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].kind in {
        "article",
        "word",
        "number",
        "relative",
        "preposition",
        "adverb",
        "to",
    }


def _is_finite(tokens: Sequence[Token], at: int, groups: Sequence[VerbGroup]) -> bool:
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
    verb_open = any(first <= group.start < at for group in groups)
    if verb_open:
        return False
    shares = bool(groups) and not before and previous.kind in {"and", "but", "comma"}
    if shares:
        return _agrees_with(groups[-1], token, following)
    if previous.kind == "comma" and not groups and _has_noun(tokens[:at]) and tokens[0].kind != "preposition":
        # Behind an apposition: "The KT55, a converter, delivers …".
        before = tokens[:at]
    elif not _has_noun(before) and previous.kind != "relative":
        return False
    if is_past(token.lower) and not is_base(token.lower):
        return _is_past_verb(tokens, at, following)
    if has_same_past(token.lower) and following is not None and following.kind in {"article", "number", "word"}:
        return not any(_sure_verb(tokens, n) for n in range(at + 1, _clause_end(tokens, at + 1)))
    return _agrees(previous, token) and _place_fits(tokens, at, before, following)


def _clause_start(tokens: Sequence[Token], at: int) -> int:
    start = at
    while start > 0 and tokens[start - 1].kind not in _BOUNDARIES:
        start -= 1
    return start


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
    if not third and any(_is_present(tokens, n) for n in range(at + 1, _clause_end(tokens, at + 1))):
        return False
    later = any(_sure_verb(tokens, n) for n in range(at + 1, _clause_end(tokens, at + 1)))
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


def _sure_verb(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if _certain(tokens, at):
        return True
    if token.kind != "word" or not is_third_person(token.lower) or tokens[at - 1].kind in _BEFORE_NOUNS:
        return False
    following = tokens[at + 1].kind if at + 1 < len(tokens) else "stop"
    return not is_also_noun(token.lower) or following == "article"


def _is_present(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word may be a verb in the third person: not right behind an article or a preposition."""
    return is_third_person(tokens[at].lower) and tokens[at - 1].kind not in _BEFORE_NOUNS and at + 1 < len(tokens)


def _clause_end(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].kind not in _BOUNDARIES:
        at += 1
    return at


def _is_past_verb(tokens: Sequence[Token], at: int, following: Token | None) -> bool:
    """Say whether "-ed" is the clause's verb: no other verb follows in the clause, and no "by" makes it passive."""
    if following is None:
        return True
    if following.lower == "by" and tokens[at].lower not in {"led"}:
        return False
    return not any(_sure_verb(tokens, n) for n in range(at + 1, _clause_end(tokens, at + 1))) and (
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


def says_that(verb: VerbGroup) -> bool:
    """Say whether "that" behind this verb begins what is said rather than a relative clause."""
    return verb.base in _SAYING
