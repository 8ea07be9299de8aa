"""Verb groups: the verbs of a sentence with their helpers, in normal order."""

from collections.abc import Sequence

from golden_lab.triple_extraction.finite import clause_end, is_finite, is_helper, is_surely_verb
from golden_lab.triple_extraction.tokens import Token, VerbGroup
from tools.language.verbs import (
    base_form,
    is_also_noun,
    is_base,
    is_gerund,
    is_participle,
    is_past,
    third_person,
)

# Behind these verbs "that" begins what is said, not a relative clause.
_SAYING = frozenset(
    """
    ensure verify check confirm state show indicate mean require assume believe say know specify guarantee suggest find
    note report explain claim argue think decide announce assure recommend prove demonstrate see
    """.split()  # noqa: SIM905
)


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
    return _plain(tokens, at, groups) if is_finite(tokens, at, groups) else None


def _plain(tokens: Sequence[Token], at: int, groups: Sequence[VerbGroup]) -> VerbGroup:
    token = tokens[at]
    base = base_form(token.lower)
    if groups and groups[-1].passive and is_participle(token.lower) and tokens[at - 1].kind in {"and", "comma"}:
        return VerbGroup(at, at + 1, (*groups[-1].words[:-1], token.lower), base, passive=True)
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
    purpose = tokens[0].kind == "to" and at > 2 and tokens[at - 1].kind == "comma"
    opening = at == 0 or purpose or (at == 1 and tokens[0].kind in {"adverb", "number"})
    if not opening or at + 1 >= len(tokens):
        return False
    following = tokens[at + 1]
    if any(is_surely_verb(tokens, n) for n in range(at + 1, clause_end(tokens, at + 1))):
        return False
    if following.kind in {"article", "number", "relative", "subordinator"}:
        return True
    if is_also_noun(tokens[at].lower):
        return False
    return following.kind in {"word", "preposition", "to", "adverb"} and not any(
        is_helper(tokens, n) for n in range(at + 1, len(tokens))
    )


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


def says_that(verb: VerbGroup) -> bool:
    """Say whether "that" behind this verb begins what is said rather than a relative clause."""
    return verb.base in _SAYING
