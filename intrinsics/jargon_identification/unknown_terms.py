"""Finds jargon that is not in the dictionary, by its shape, rarity and context."""

from collections.abc import Sequence, Set

from contracts.jargon import MentionKind
from intrinsics.jargon_identification import cues
from intrinsics.jargon_identification.tokens import Token, everyday_words, is_ordinary, looks_pronounceable
from tools.language import STOP_WORDS, fold, rarity

_MAX_ABBREVIATION = 10
_SHORT_ABBREVIATION = 6
_COMMON_NAME_RARITY = 0.5  # Zipf 4: a name such as YouTube that everyone knows
_RARE = 0.625  # Zipf 3
_EVERYDAY = 0.5
_SIGNS = ("#", "*", "++")


def kind_of(token: Token) -> MentionKind:
    """Return the kind of term that ``token`` is, based on its shape: an abbreviation, a code and so on."""
    bare = token.bare
    if token.mixed or "_" in bare or bare.endswith(_SIGNS):
        return "code"
    return "abbreviation"


def is_everyday(folded: str) -> bool:
    """Return whether text (folded) is an abbreviation, a date or a unit that everybody knows."""
    return any(folded in everyday_words(kind) for kind in ("abbreviations", "dates", "units"))


class UnknownTerms:
    """Judges the tokens of one question that are in no dictionary entry."""

    def __init__(self, question: str, tokens: Sequence[Token], covered: Set[int]) -> None:
        self._question = question
        self._tokens = tokens
        self._all_caps = cues.is_all_caps(question, tokens)
        self._form = cues.asks_for_form(question)
        self._sure = set(covered)
        # Tokens in capitals that are not part of a run of capitals and are not emphasised.
        self._quiet = {
            index
            for index, token in enumerate(tokens)
            if token.capitals and not self._all_caps and not cues.is_emphasis(token)
        }
        # Terms and possible terms, which are evidence that a doubtful neighbour is also a term.
        self._fellows = set(covered)

    def judge(self) -> dict[int, float]:
        """Return the probability of jargon, by index, for the tokens that may be jargon."""
        found: dict[int, float] = {}
        doubtful: list[int] = []
        for index, token in enumerate(self._tokens):
            if index in self._sure or token.blind or token.plain_number or token.surname or len(token.bare) < 2:
                continue
            probability = self._by_shape(index)
            if probability is None:
                if token.capitals or (self._form and token.bare.islower()):
                    doubtful.append(index)
            elif probability > 0.0:
                self._note(index, probability, found)
        for index in doubtful:
            if probability := self._by_surroundings(index):
                self._note(index, probability, found)
        return found

    def _note(self, index: int, probability: float, found: dict[int, float]) -> None:
        found[index] = probability
        self._fellows.add(index)

    def _by_shape(self, index: int) -> float | None:
        """Return the probability of jargon; 0 if it is not jargon, None if only the surrounding words can decide."""
        token = self._tokens[index]
        folded = fold(token.singular)
        if token.capitals and not token.bare.endswith(_SIGNS):
            return self._capitals(index, folded)
        digits = any(c.isdigit() for c in token.bare)
        if token.mixed:
            common = (rarity(folded) <= _COMMON_NAME_RARITY or is_everyday(folded)) and not token.bare[:3].isupper()
            if common:
                return 0.0
            return 0.55 if self._all_caps else 0.8
        if "_" in token.bare or token.bare.endswith(_SIGNS):
            return 0.8
        if digits and token.letters:
            if is_everyday(folded) or rarity(folded) <= _COMMON_NAME_RARITY:
                return 0.0
            many = len(token.letters) > 1
            return (0.8 if many else 0.55) if token.letters.isupper() else (0.5 if many else 0.0)
        if token.bare.islower():
            return self._small(folded)
        return 0.0

    def _capitals(self, index: int, folded: str) -> float | None:
        token = self._tokens[index]
        ordinary = is_ordinary(folded)
        rare = not ordinary and (rarity(folded) > _RARE or not looks_pronounceable(folded))
        if len(token.letters) > _MAX_ABBREVIATION:
            return 0.0
        if self._all_caps:
            return 0.7 if rare and len(token.letters) <= _SHORT_ABBREVIATION and not is_everyday(folded) else 0.0
        if token.roman or is_everyday(folded) or cues.is_emphasis(token) or folded in everyday_words("grammatical"):
            return None
        if ordinary and (len(folded) > 3 or folded in STOP_WORDS):
            return None
        if len(token.letters) > _SHORT_ABBREVIATION:
            return 0.6 if rare else None
        return 0.95 if rare else 0.85

    def _small(self, folded: str) -> float | None:
        for each in (folded, folded.removesuffix("s")):
            if is_everyday(each) or each in everyday_words("small_abbreviations") or is_ordinary(each):
                return 0.0
        if 3 <= len(folded) <= _SHORT_ABBREVIATION and not any(c in "aeiouy" for c in folded) and folded.isascii():
            return 0.6 if rarity(folded) > _RARE else 0.0
        return None

    def _by_surroundings(self, index: int) -> float:
        token = self._tokens[index]
        folded = fold(token.singular)
        about_it = cues.defining(self._question, token)
        if token.bare.islower():
            return 0.75 if about_it and len(folded) <= _SHORT_ABBREVIATION and folded.isalpha() else 0.0
        if self._form and about_it:
            return 0.85
        if cues.is_emphasis(token):
            return 0.0
        if about_it:
            return 0.7
        listed = self._coordinated(index, self._fellows | self._quiet)
        company = len(self._fellows) - (index in self._fellows)
        if is_everyday(folded) or token.roman:
            # Next to other abbreviations, the token is also an abbreviation, but hardly needs an explanation.
            return _EVERYDAY if listed or company >= 2 else 0.0
        if listed:
            return 0.7
        return 0.6 if company >= 2 and len(folded) <= 4 else 0.0

    def _coordinated(self, index: int, others: Set[int]) -> bool:
        """Return whether one of ``others`` is in a list with the token: "A/B", "A, B", "A and B"."""
        return any(
            other in others and cues.coordinated(self._question, self._tokens[index], self._tokens[other])
            for other in range(max(0, index - 2), min(len(self._tokens), index + 3))
            if other != index
        )
