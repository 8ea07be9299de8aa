"""The clauses of a sentence: verbs, the words before and after each verb, and links between clauses."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from golden_lab.triple_extraction.tokens import BOUNDARIES, Token
from golden_lab.triple_extraction.verb_forms import is_participle, is_third_person, third_person
from tools.language.verbs import base_form, is_also_noun, is_base, is_gerund, is_past

_NOMINAL = frozenset({"word", "number", "bracket", "pronoun"})
_EMPTY = frozenset({"comma", "stop", "and", "but", "adverb"})
# An opening phrase with one of these gives the conditions of the claim; any other gives a reason and is not part of it.
_CIRCUMSTANCES = frozenset(
    "in at on during for under with after before within from between without above below per".split()  # noqa: SIM905
)
# After these verbs, "with" names a part of the subject; after any other, it may describe how something is done.
_HAVING = frozenset(
    "be have include contain feature integrate comprise use provide offer carry employ incorporate".split()  # noqa: SIM905
)
# Phrases with these apply to all the things before them: "temperature and humidity every 30 seconds".
_SHARED_TAIL = frozenset({"every", "within", "after", "before", "during", "until", "per"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb with the tokens before it (its subject) and after it (its object).

    The verb with its auxiliaries spans ``start`` to ``end`` (exclusive); ``words`` are in normal order, ``base`` is the
    base form of the main verb ("be" for a copula). ``link`` is the relation to the previous clause: "" if there is
    none, "same" if the subject is shared, "relative" if the subject is the noun before the pronoun, "condition" if the
    clause states when the others hold, "order" for an imperative.
    """

    start: int
    end: int
    words: tuple[str, ...]
    base: str
    link: str = ""
    subject: tuple[Token, ...] = ()
    object: tuple[Token, ...] = ()


@dataclass(slots=True)
class Sentence:
    """A parsed sentence: its clauses, and the phrase that states when or where all of it holds."""

    clauses: list[Clause] = field(default_factory=list)
    circumstance: tuple[Token, ...] = ()


def read_clauses(tokens: Sequence[Token]) -> Sentence:
    """Split the tokens of a sentence into its clauses."""
    found = Sentence()
    starts: list[int] = []
    for verb in find_verbs(tokens):
        placed = _placed(tokens, verb, found)
        if placed is not None:
            start, clause = placed
            starts.append(start)
            found.clauses.append(clause)
    for n, clause in enumerate(found.clauses):
        end = starts[n + 1] if n + 1 < len(starts) else len(tokens)
        found.clauses[n] = replace(clause, object=tuple(tokens[clause.end : max(end, clause.end)]))
    return found


def find_verbs(tokens: Sequence[Token]) -> list[Clause]:
    """Find the finite verbs of a sentence, and the gerunds after a comma, without subjects and objects."""
    verbs: list[Clause] = []
    at = 0
    while at < len(tokens):
        verb = _verb_at(tokens, at, verbs)
        verbs += [verb] if verb else []
        at = verb.end if verb else at + 1
    return verbs


def _verb_at(tokens: Sequence[Token], at: int, verbs: Sequence[Clause]) -> Clause | None:
    token = tokens[at]
    if token.kind == "modal" or (token.kind in {"be", "have", "do"} and token.lower not in {"being", "been", "be"}):
        return _with_helpers(tokens, at)
    base = base_form(token.lower)
    following = tokens[at + 1].kind if at + 1 < len(tokens) else "stop"
    if token.kind != "word" or not base:
        return None
    if is_gerund(token.lower):
        behind = at > 0 and tokens[at - 1].kind == "comma" and following not in BOUNDARIES
        return Clause(at, at + 1, (third_person(base),), base, "same") if behind else None
    # "Hold the button", also after a purpose: "To reset the unit, hold the button".
    if at == 0 or (tokens[0].kind == "to" and tokens[at - 1].kind == "comma"):
        acts = following in {"article", "relative", "subordinator"} or (following == "word" and not is_also_noun(base))
        return Clause(at, at + 1, ("shall", base), base, "order") if acts and is_base(token.lower) else None
    if not _is_finite(tokens, at, verbs):
        return None
    passive = verbs[-1].words[:-1] if verbs and tokens[at - 1].kind == "and" and is_participle(token.lower) else ()
    if passive and is_participle(verbs[-1].words[-1]):
        return Clause(at, at + 1, (*passive, token.lower), base)
    past = is_past(token.lower) and not is_base(token.lower)
    return Clause(at, at + 1, (token.lower if past else third_person(base),), base)


def _is_finite(tokens: Sequence[Token], at: int, verbs: Sequence[Clause]) -> bool:
    """Return whether a verb form without an auxiliary is the verb of a clause, not a noun or a participle."""
    token, previous = tokens[at], tokens[at - 1]
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    first = at
    while first > 0 and tokens[first - 1].kind not in BOUNDARIES:
        first -= 1
    before = tokens[first:at]
    name = previous.kind == "number" and at > 1 and tokens[at - 2].kind == "word"
    if previous.kind in {"article", "to", "number", "preposition"} and not name:
        return False
    if token.text[0].isupper() or (before and before[0].kind == "preposition" and is_also_noun(token.lower)):
        return False
    third, past = is_third_person(token.lower), is_past(token.lower) and not is_base(token.lower)
    acts = following is not None and following.kind not in {"comma", "stop", "and", "but"}
    opened = [verb for verb in verbs if first <= verb.start]
    if opened:
        # The main verb after a relative clause: "people who work nights receive a bonus".
        sure = not is_also_noun(token.lower) or (third and following is not None and following.kind != "word")
        return sure and not past and len(opened) == 1 and first > 0 and tokens[first - 1].kind == "relative"
    if not before and verbs and previous.kind != "relative":
        return previous.kind in {"and", "but", "comma"} and acts
    if not before:
        # After an apposition: "The KT55, a converter, delivers 3.3 V".
        before = () if past else tokens[:at]
    if not any(each.kind in _NOMINAL for each in before) and previous.kind != "relative":
        return False
    last = next((n for n in range(at + 1, len(tokens)) if tokens[n].kind in BOUNDARIES), len(tokens))
    later = any(_is_verb(tokens, n, sure=third or past) for n in range(at + 1, last))
    if past:
        return not later and (following is None or following.lower != "by")
    if third and not is_also_noun(token.lower):
        return True
    agrees = third or not is_also_noun(token.lower) or previous.kind != "word" or previous.lower.endswith("s")
    return acts and agrees and not later


def _is_verb(tokens: Sequence[Token], at: int, *, sure: bool) -> bool:
    """Return whether a word is an auxiliary or a third-person form; with ``sure``, one that cannot be a plural noun."""
    token = tokens[at]
    if token.kind == "modal" or token.lower in {"is", "are", "was", "were", "has", "have", "does"}:
        return True
    third = token.kind == "word" and is_third_person(token.lower) and not (sure and is_also_noun(token.lower))
    return third and tokens[at - 1].kind not in {"article", "preposition"}


def _with_helpers(tokens: Sequence[Token], at: int) -> Clause:
    """Read from a modal or auxiliary verb to the main verb."""
    words, end = [tokens[at].lower], at + 1
    base = tokens[at].kind if tokens[at].kind != "modal" else ""
    for end in range(at + 1, len(tokens) + 1):
        token = tokens[end] if end < len(tokens) else None
        following = tokens[end + 1].kind if end + 1 < len(tokens) else "stop"
        if token is None or not (
            token.kind in {"adverb", "not", "word"}
            or (token.kind in {"be", "have"} and token.lower in {"be", "been", "have", "being"})
            or (token.kind == "to" and base == "have" and following in {"be", "word"})
        ):
            break
        if token.kind == "word":
            if not _is_main(token.lower, base, words[-1], following):
                break
            words.append(token.lower)
            if base == "be" and len(words) == 2 and is_gerund(token.lower):
                words = [third_person(base_form(token.lower))]
            return Clause(at, end + 1, tuple(words), base_form(token.lower) or token.lower)
        if token.kind != "adverb":
            words.append(token.lower)
            base = token.kind if token.kind in {"be", "have"} else base
    return Clause(at, end, tuple(words), base or "be")


def _is_main(word: str, base: str, last: str, following: str) -> bool:
    """Return whether a word after auxiliaries is their main verb."""
    if not base or last == "to":
        return True
    if base == "be":
        participle = is_participle(word) and (following not in {"word", "number", "to"} or word != "used")
        return (participle and following not in {"word", "number"}) or (is_gerund(word) and following not in BOUNDARIES)
    return is_base(word) if base == "do" else is_past(word)


def _placed(tokens: Sequence[Token], verb: Clause, found: Sentence) -> tuple[int, Clause] | None:
    """Return the start of a clause, and its verb with subject and link; None if the verb forms no clause."""
    previous = found.clauses[-1] if found.clauses else None
    floor = previous.end if previous else 0
    at = verb.start
    while at > floor and tokens[at - 1].kind not in BOUNDARIES:
        at -= 1
    subject = tuple(token for token in tokens[at : verb.start] if token.kind != "adverb")
    opener = tokens[at - 1] if at > floor else None
    if previous is None:
        return 0, _first(tokens, verb, at, subject, opener, found)
    start = at
    while start > floor and tokens[start - 1].kind in {"comma", "stop", "and", "but"}:
        start -= 1
    if opener is None:
        # No comma between the two verbs: "the relay that drives the fan uses 24 V", or a verb within the object.
        shares = previous.link == "relative"
        return (verb.start, replace(verb, subject=previous.subject, link="same")) if shares else None
    if opener.kind == "relative":
        noun = _noun_before(tokens, at - 1, floor)
        return (at - 1, replace(verb, subject=noun, link="relative")) if noun and not subject else None
    if opener.kind == "subordinator" or [opener.lower, *(each.kind for each in subject)] == ["while", "pronoun"]:
        return None
    if subject and (subject[0].kind in {"preposition", "to"} or not any(each.kind in _NOMINAL for each in subject)):
        return None
    return start, replace(verb, subject=subject, link="" if subject else "same")


def _first(
    tokens: Sequence[Token], verb: Clause, at: int, subject: tuple[Token, ...], opener: Token | None, found: Sentence
) -> Clause:
    if opener is not None and opener.kind == "subordinator" and at <= 2:
        return replace(verb, subject=subject, link="condition")
    if opener is not None and opener.kind == "relative" and not subject:
        return replace(verb, subject=_noun_before(tokens, at - 1, 0), link="relative")
    whole = trim(tokens[: verb.start])
    comma = next((n for n, token in enumerate(whole) if token.kind == "comma"), 0)
    opens = whole[:1] and (whole[0].kind in {"preposition", "to"} or is_gerund(whole[0].lower))
    if comma and (opens or is_participle(whole[0].lower)):
        found.circumstance = whole[:comma] if whole[0].lower in _CIRCUMSTANCES else ()
        whole = trim(whole[comma + 1 :])
    return replace(verb, subject=tuple(token for token in whole if token.kind != "adverb"))


def _noun_before(tokens: Sequence[Token], at: int, floor: int) -> tuple[Token, ...]:
    """Return the noun phrase before a relative pronoun, back to its article or the nearest preposition."""
    end = at
    while end > floor and tokens[end - 1].kind in {"comma", "preposition"}:
        end -= 1
    start = end
    while start > floor and tokens[start - 1].kind in {"word", "number", "bracket"}:
        start -= 1
    return tuple(tokens[start:end])


def trim(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Drop punctuation, conjunctions and adverbs at both ends; "while it is on" keeps its conjunction."""
    first, last = 0, len(tokens)
    while first < last and tokens[first].kind in _EMPTY and tokens[first].lower != "while":
        first += 1
    while last > first and tokens[last - 1].kind in (_EMPTY | {"relative", "subordinator"}) - {"adverb"}:
        last -= 1
    return tuple(tokens[first:last])


@dataclass(frozen=True, slots=True)
class ObjectParts:
    """The words that belong to the predicate, the things claimed, and the features named after "with"."""

    particles: tuple[str, ...]
    parts: tuple[tuple[Token, ...], ...]
    attributes: tuple[tuple[Token, ...], ...]


def part_object(tokens: Sequence[Token], base: str) -> ObjectParts:
    """Split the tokens after a verb of base form ``base``."""
    stop = next((n for n, token in enumerate(tokens) if n and token.kind == "stop"), len(tokens))
    rest = list(trim(tokens[:stop]))
    particles: list[str] = []
    while rest and _is_particle(rest):
        particles.append(rest.pop(0).lower)
        if particles[-1] == "to" and rest and (rest[0].lower == "be" or is_base(rest[0].lower)):
            particles.append(rest.pop(0).lower)
        while rest and rest[0].kind == "adverb":
            rest.pop(0)
    attributes: tuple[tuple[Token, ...], ...] = ()
    for n, token in enumerate(rest):
        if token.kind == "comma":
            break
        if n and token.lower == "with" and base in _HAVING and not particles and n + 1 < len(rest):
            rest, attributes = rest[:n], split_coordinated(rest[n + 1 :])
            break
    parts = (tuple(rest),) if particles[-1:] == ["between"] else split_coordinated(rest)
    return ObjectParts(tuple(particles), tuple(part for part in parts if part), attributes)


def _is_particle(tokens: Sequence[Token]) -> bool:
    first = tokens[0]
    if len(tokens) < 2 or first.lower in {"like", "than", "before", "without", "until"}:
        return first.lower in {"down", "up", "off", "out", "on", "over"}
    second = tokens[1]
    # "up to 5 V", "at least 5 V", "over 5 V" belong to the value.
    comparing = first.lower in {"over", "above", "below", "under", "about", "around"} and second.kind == "number"
    comparing = comparing or (first.lower, second.lower) in {("up", "to"), ("at", "least"), ("at", "most")}
    return first.kind in {"preposition", "to"} and not comparing


def split_coordinated(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    """Split "A, B and C" into its members; anything that is not clearly a list of things stays whole."""
    kept = tuple(tokens[1:] if tokens and tokens[0].lower in {"both", "either"} else tokens)
    if not any(token.kind == "and" for token in kept) or any(token.lower in {"or", "nor", "between"} for token in kept):
        return (kept,)
    edges = [-1, *(n for n, token in enumerate(kept) if token.kind in {"and", "comma"}), len(kept)]
    members = [piece for one, two in pairwise(edges) if (piece := trim(kept[one + 1 : two]))]
    if len(members) < 2 or not all(_is_thing(member) for member in members):
        return (kept,)
    first, last = members[0], members[-1]
    hangs = any(token.kind in {"preposition", "to"} for token in first[1:]) and last[0].kind != "article"
    if hangs and not any(token.kind in {"preposition", "to"} for token in last):
        return (kept,)
    tail = next((last[n:] for n, token in enumerate(last) if n and token.lower in _SHARED_TAIL), ())
    return tuple((*member, *tail) if member is not last else member for member in members)


def _is_thing(tokens: Sequence[Token]) -> bool:
    first = tokens[0]
    if first.kind in {"preposition", "to", "pronoun", "have", "do"} or (is_gerund(first.lower) and len(tokens) > 2):
        return False
    return not any(token.kind in {"modal", "be", "relative", "subordinator"} for token in tokens)
