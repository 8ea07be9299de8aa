"""Plain clauses: the subject, the verb and the rest of a sentence that has one verb that nobody can mistake."""

import re
from dataclasses import dataclass
from typing import Literal

from tools.language import fold, rarity
from tools.language.verbs import base_form, is_also_noun, is_base, is_gerund, is_participle, is_past, is_third_person
from tools.reading.concepts import is_code, word_weight

Tense = Literal["present", "past", "modal"]

_BE = frozenset({"is", "are", "was", "were"})
_MODALS = frozenset({"must", "shall", "can", "may", "will", "should"})
_ADVERBS = frozenset("always usually normally typically automatically".split())  # noqa: SIM905
_ARTICLES = frozenset("the a an each every all no its their".split())  # noqa: SIM905
_PREPOSITIONS = frozenset(
    """
    in on at by for with from into onto within without over under between during after before when if unless
    as to while once because since although where until upon depending based given using besides despite
    """.split()  # noqa: SIM905
)
_NO_SUBJECT_WORDS = frozenset(
    """
    unless someone also then only currently still now again already first therefore thus hence – — - # =
    that which who whom whose where when while if because whether how what why it this these those there here they he
    she we you i its their our your not to than as so but such above below following latter former both
    """.split()  # noqa: SIM905
)
# Things that only the text before a sentence tells apart.
_VAGUE = frozenset(
    """
    maximum minimum allowed timeout limit capacity size length rate total average typical
    result results reason reasons following example examples purpose difference value values section table figure
    document page chapter case cases note way problem solution idea goal aim step steps rest other others first second
    third last next one two answer question list line lines description field fields column row default it same
    point procedure process information operation option parameter item items number name names thing things part
    """.split()  # noqa: SIM905
)
_VAGUE_AMOUNTS = frozenset({"some", "many", "several", "most", "certain", "few", "any", "more", "much"})
_MOST_SUBJECT_WORDS = 9
# What opens a part of a sentence that says something of its own.
_BREAK = re.compile(
    r"\s*(?:[,;:]\s|\s[–—-]{1,2}\s|\s(?:which|who|where|and then|but|while|whereas|because|so that|such that|although|"
    r"unless|except|otherwise|rather than|instead of|e\.g\.|i\.e\.)\b)"
)
_NEGATION = re.compile(r"\b(?:not|never|no longer|cannot)\b|n['’]t\b", re.IGNORECASE)
# A clause of its own behind "and": what is asked of the first would take the second with it.
_SECOND_CLAUSE = re.compile(
    r"\b(?:and|or|but) (?:[^\s,]+ ){0,6}(?:is|are|was|were|will|can|must|has|have|does|do|should|may|shall)\b"
)
_CONDITION = re.compile(r"(?:^|[\s,])(?:if|when|unless|except|only|otherwise|until|depending|rather|instead)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainClause:
    """``The controller | retries | a read 5 times``.

    ``subject`` is as it stands in a question ("the controller"), ``first`` as it stands in the sentence. ``helper`` is
    the verb that a question puts before the subject ("does", "must", "are"), ``verb`` what it puts behind it ("retry",
    "stored", "" for a bare "is"); ``base`` the main verb's base form. ``finite`` is the verb behind "who" ("retries").
    ``rest`` runs to the end of the clause, ``whole`` says that this is the end of the sentence.
    """

    subject: str
    first: str
    helper: str
    verb: str
    base: str
    finite: str
    passive: bool
    rest: str
    whole: bool


def read_clause(sentence: str, text: str) -> PlainClause | None:
    """Read a sentence with one plain clause, or None where it is not so plain; ``text`` is what it stands in."""
    plain = " ".join(re.sub(r"[*`]+", "", sentence).split()).rstrip(" .!")
    words = plain.split()
    at = _verb_at(words)
    if at is None:
        return None
    first = " ".join(words[:at])
    if not _is_subject(words[:at]):
        return None
    verb = _read_verb(words, at)
    if verb is None:
        return None
    helper, behind, base, finite, passive, end = verb
    tail = " ".join(words[end:])
    if _NEGATION.search(tail) or _SECOND_CLAUSE.search(tail):
        return None
    cut = _BREAK.search(tail)
    rest = tail[: cut.start()] if cut else tail
    if cut and _CONDITION.search(tail[cut.start() :]):
        return None
    return PlainClause(
        subject=lowered(first, text), first=first, helper=helper, verb=behind, base=base, finite=finite,
        passive=passive, rest=rest.strip(), whole=cut is None,
    )  # fmt: skip


def lowered(phrase: str, text: str) -> str:
    """Take the capital off a common word that only began its sentence; a name keeps it."""
    words = phrase.split()
    first = words[0]
    article = fold(first) in _ARTICLES
    named = bool(re.search(rf"(?<=[a-z,] ){re.escape(first)}\b", text))
    joined = len(words) > 1 and words[1][:1].isupper()
    common = first[1:].islower() and first[:1].isalpha() and rarity(fold(first)) < 0.6
    if article or (common and not named and not joined):
        return phrase[0].lower() + phrase[1:]
    return phrase


def is_telling(subject: str) -> bool:
    """Say whether a subject names something that a reader without the text before it can know."""
    words = [re.sub(r"^\W+|\W+$", "", word) for word in subject.split()]
    content = [word for word in words if word and fold(word) not in _ARTICLES | {"of", "for", "in", "and", "or"}]
    if not content or (fold(content[0]) in _VAGUE and len(content) == 1):
        return False
    if any(is_code(word) for word in content):
        return True
    weights = [word_weight(word) for word in content if fold(word) not in _VAGUE]
    named = any(word[0].isupper() for word in content[1:]) or (content[0][0].isupper() and words[0] == content[0])
    return bool(weights) and (max(weights) >= 0.5 or (len(weights) >= 2 and max(weights) >= 0.35) or named)


def is_vague(subject: str) -> bool:
    """Say whether a subject is nothing but words that the text before it fills: "the name", "the maximum value"."""
    content = [fold(word) for word in subject.split() if fold(word) not in _ARTICLES]
    return bool(content) and all(word in _VAGUE for word in content)


def _verb_at(words: list[str]) -> int | None:
    """Return where the first verb stands that cannot be taken for a noun."""
    for at in range(1, min(len(words) - 1, _MOST_SUBJECT_WORDS + 1)):
        word, following = words[at], words[at + 1].casefold()
        lower = word.casefold()
        if lower in _BE or (lower in _MODALS and word.islower()):
            return at
        if lower in {"has", "have"} and re.match(r"\d|[a-z]+$", following):
            return at
        if not word.isalpha() or not word.islower() or not base_form(lower):
            continue
        before = words[at - 1].casefold()
        opens = following in _ARTICLES or bool(re.match(r"[\d(]?\d", following))
        # Behind a name ("The pin WP# controls …") the word is hardly a noun, unless a surer verb follows.
        named = (
            is_code(words[at - 1])
            and not _opens_object(words, at + 1)
            and not any(later in _BE | _MODALS for later in words[at:])
        )
        if (
            is_third_person(lower)
            and (opens or named or not is_also_noun(lower))
            and before not in _PREPOSITIONS | _ARTICLES
        ):
            return at
        plural = before.endswith("s") and not before.endswith(("ss", "us", "is"))
        if is_base(lower) and plural and (opens or not is_also_noun(lower)):
            return at
        if is_past(lower) and not is_base(lower) and following in {"the", "a", "an"} and before not in _PREPOSITIONS:
            return at
    return None


def _opens_object(words: list[str], at: int) -> bool:
    """Say whether the verb stands here, with its object behind it: "WebSocket routes | use a different form"."""
    return is_base(words[at].casefold()) and at + 1 < len(words) and words[at + 1].casefold() in _ARTICLES


def _is_subject(words: list[str]) -> bool:
    lower = [re.sub(r"^\W+|\W+$", "", word.casefold()) or word for word in words]
    if not words or len(words) > _MOST_SUBJECT_WORDS or lower[0] in _PREPOSITIONS | _VAGUE_AMOUNTS:
        return False
    if any(word in _NO_SUBJECT_WORDS for word in lower) or any(word.endswith((",", ";", ":", ".")) for word in words):
        return False
    if lower[0] in {"note", "tip", "important", "warning", "caution"} or (len(lower) > 1 and is_gerund(lower[0])):
        return False
    if any("=" in word or re.search(r"n['’]t$", word) for word in lower):
        return False
    if any(word in {"The", "A", "An", "In", "If", "When", "This"} for word in words[1:]):
        return False
    joined = " ".join(words)
    if joined.count("(") != joined.count(")") or lower[0] in {"no", "none", "not"} or words[0].endswith("ly"):
        return False
    # A participle or another verb inside makes the noun phrase a sentence: "Data stored in" is left out as well.
    return not any(is_past(word) and not is_also_noun(word) for word in lower[2:]) and lower[
        -1
    ] not in _PREPOSITIONS | {"and", "or"}


def _read_verb(words: list[str], at: int) -> tuple[str, str, str, str, bool, int] | None:
    """Return helper, verb behind the subject, base, the form behind "who", whether passive, and where it ends."""
    lower = words[at].casefold()
    end = at + 1
    adverbs: list[str] = []

    def skip(end: int) -> int:
        while end < len(words) and (words[end] in _ADVERBS or re.fullmatch(r"[a-z]+ly", words[end])):
            adverbs.append(words[end])
            end += 1
        return end

    end = skip(end)
    if end >= len(words) or words[end].casefold() in {"not", "never", "no"} or lower in {"cannot"}:
        return None
    if lower in _BE:
        if is_participle(words[end].casefold()) and words[end].islower():
            behind = " ".join([*adverbs, words[end]])
            return lower, behind, base_form(words[end]) or words[end], f"{lower} {behind}", True, end + 1
        return (lower, "", "be", lower, False, end) if not adverbs else None
    if lower in _MODALS:
        main = words[end].casefold()
        if main == "be":
            end = skip(end + 1)
            if end >= len(words) or not is_participle(words[end].casefold()):
                return None
            behind = " ".join(["be", *adverbs, words[end]])
            return lower, behind, base_form(words[end]) or words[end], f"{lower} {behind}", True, end + 1
        if not is_base(main) and main != "have":
            return None
        behind = " ".join([*adverbs, main])
        return lower, behind, main, f"{lower} {behind}", False, end + 1
    if adverbs:
        return None
    if lower in {"has", "have"}:
        held = is_participle(words[end].casefold()) and not is_also_noun(words[end])
        return (
            None
            if held or words[end] == "been"
            else ("does" if lower == "has" else "do", "have", "have", lower, False, end)
        )
    base = base_form(lower)
    helper = "does" if is_third_person(lower) else "do" if is_base(lower) else "did"
    return helper, base, base, lower, False, end
