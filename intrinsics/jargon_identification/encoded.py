"""Jargon identification with the trained encoder: it weighs the words that the dictionary does not cover."""

from collections.abc import Collection, Mapping, Sequence

from contracts.text import Span
from intrinsics.jargon_identification.codes import KnownWords
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.jargon_identification.tokens import Token
from tools.encoder import PairEncoder, TokenTags
from tools.encoder.joining import JoinedModel
from tools.jargon import JargonDictionary

# What the shape of a word gives no reason to take for jargon.
UNMARKED = 0.02
# Less is not worth a mention.
_LEAST = 0.3


class EncodedJargonIdentifier(EmbeddedJargonIdentifier):
    """Finds what the embedded identifier finds, and weighs each word unknown to the dictionary by its tag too.

    Mentions of the dictionary's terms are what they were, and what is an address, a number or a quantity is no jargon,
    whatever the encoder says.
    """

    def __init__(
        self,
        dictionary: JargonDictionary,
        encoder: PairEncoder,
        joined: JoinedModel,
        *,
        known_words: KnownWords | None = None,
    ) -> None:
        super().__init__(dictionary, known_words=known_words)
        self._encoder = encoder
        self._joined = joined

    @property
    def _implementation(self) -> str:
        return "encoded"

    @property
    def _model(self) -> str:
        return self._encoder.name

    async def _weigh(
        self, question: str, tokens: Sequence[Token], covered: Collection[int], unknown: Mapping[int, float]
    ) -> Mapping[int, float]:
        (tags,) = await self._encoder.tag([question])
        found: dict[int, float] = {}
        for index in open_tokens(tokens, covered):
            logit = tag_logit(tags, tokens[index].span)
            shape = unknown.get(index, UNMARKED)
            probability = shape if logit is None else self._joined.probability(shape, logit)
            if probability >= _LEAST or index in unknown:
                found[index] = probability
        return found


def open_tokens(tokens: Sequence[Token], covered: Collection[int]) -> list[int]:
    """Return the indexes of the tokens that may be jargon which the dictionary does not know."""
    return [
        index
        for index, token in enumerate(tokens)
        if index not in covered
        and not (token.blind or token.plain_number or token.surname)
        and len(token.bare) > 1
        and token.letters
    ]


def tag_logit(tags: TokenTags, span: Span) -> float | None:
    """Return the logit of a term at ``span``: the highest of its pieces, begin or inside against outside."""
    rows = [
        row
        for row, each in zip(tags.logits, tags.spans, strict=True)
        if each.start < span.end and span.start < each.end
    ]
    return max((float(max(row[1], row[2]) - row[0]) for row in rows), default=None)
