"""Jargon identification without a language model: the dictionary, misspellings, shapes, and the trained encoder."""

import re
import time
from collections.abc import Collection, Mapping, Sequence

from contracts.jargon import Mention
from contracts.text import Span
from contracts.verdicts import IdentifiedJargon
from intrinsics.jargon_identification.entries import DictionaryEntries, in_order
from intrinsics.jargon_identification.known import KnownWords
from intrinsics.jargon_identification.tokens import Token
from intrinsics.jargon_identification.unknown import UnknownTerms, kind_of
from tools.encoder import TokenTags
from tools.encoder.joining import JoinedModel
from tools.jargon import JargonDictionary
from tools.judges import JoinedEncoder, provenance_since

# HM-1, JESD-218, T-SQL, ST-S: a number or a single capital belongs to the name.
_PART = re.compile(r"-(?:\d{1,4}|[A-Z])(?![\w-])")
_LETTER_BEFORE = re.compile(r"(?<![\w-])[A-Z]-\Z")


# What the shape of a word gives no reason to take for jargon.
UNMARKED = 0.02
# Less is not worth a mention.
_LEAST = 0.3


class EmbeddedJargonIdentifier:
    """Finds jargon by the dictionary, then misspellings of its terms, then unknown terms by shape and rarity.

    Probabilities are set by kind of evidence, not fitted: 0.99 for a term in its own letter case, 0.9 for an extended
    name, 0.4 for a term that is an ordinary word too, 0.55 to 0.95 for unknown terms by shape. With a trained encoder
    each word unknown to the dictionary is weighed by its tag too; what is an address, a number or a quantity is no
    jargon, whatever the encoder says.
    """

    def __init__(
        self,
        dictionary: JargonDictionary,
        *,
        known_words: KnownWords | None = None,
        joined: JoinedEncoder | None = None,
    ) -> None:
        """Read terms from ``dictionary``; ``known_words`` says whether the documents use a word as it is written."""
        self._entries = DictionaryEntries(dictionary, known_words)
        self._joined = joined

    async def identify(self, question: str) -> IdentifiedJargon:
        """Find the abbreviations and jargon in ``question``, in any letter case, misspelt ones included.

        An extended name of the dictionary is a mention of its term, of the kind "name".
        """
        started = time.perf_counter()
        found = await self._entries.find(question)
        unknown = UnknownTerms(question, found.tokens, dict.fromkeys(found.covered, True)).judge()
        if self._joined is not None:
            (tags,) = await self._joined.encoder.tag([question])
            unknown = _weighed(found.tokens, found.covered, unknown, tags, self._joined.model)
        mentions = in_order([*found.mentions, *_unknown_mentions(question, found.tokens, unknown)])
        return IdentifiedJargon(mentions=mentions, provenance=provenance_since(started, joined=self._joined))


def _weighed(
    tokens: Sequence[Token],
    covered: Collection[int],
    unknown: Mapping[int, float],
    tags: TokenTags,
    joined: JoinedModel,
) -> dict[int, float]:
    """Return the probability of jargon by token that the dictionary does not cover: that of its shape and its tag."""
    found: dict[int, float] = {}
    for index in open_tokens(tokens, covered):
        logit = tag_logit(tags, tokens[index].span)
        shape = unknown.get(index, UNMARKED)
        probability = shape if logit is None else joined.probability(shape, logit)
        if probability >= _LEAST or index in unknown:
            found[index] = probability
    return found


def _unknown_mentions(question: str, tokens: Sequence[Token], unknown: Mapping[int, float]) -> list[Mention]:
    """Make mentions of the unknown; those joined by hyphens are one: SSE-KMS."""
    mentions: list[Mention] = []
    previous = -2
    for index in sorted(unknown):
        token = tokens[index]
        joined = (
            previous == index - 1 and question[tokens[previous].span.end : token.span.start] == "-" and token.capitals
        )
        previous = index
        start = mentions[-1].span.start if joined else token.span.start
        letter = None if joined else _LETTER_BEFORE.search(question[max(0, start - 3) : start])
        if letter and token.capitals:
            start -= 2
        probability = max(unknown[index], mentions.pop().probability) if joined else unknown[index]
        tail = _PART.match(question, token.span.end) if token.capitals else None
        end = tail.end() if tail else token.end
        text = question[start:end]
        one = token.bare[:-1] if token.capitals and token.bare.endswith("s") else token.bare
        term = text if joined or tail or start < token.span.start else one
        mentions.append(
            Mention(text=text, span=Span(start, end), term=term, kind=kind_of(token), probability=probability)
        )
    return mentions


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
