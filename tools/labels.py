"""Verdicts that are one of a few labels, with probabilities from the server's log-probabilities."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import MalformedReply
from tools.chat.base import ChatReply, ReplyToken, TokenOption
from tools.structured import without_thoughts

# The probability of a label that is known only from the text of a reply; the other labels share the rest equally.
WORD_PROBABILITY = 0.8
# If the tokens of the labels have a lower total probability at a position, the label is not at this position.
_LEAST_MASS = 0.5
# A shorter token does not count as the beginning of a label: "I" may begin "irrelevant", but more often begins "I
# think".
_LEAST_LETTERS = 2
# Characters that tokenizers put before a word, or models around a word.
_AROUND = " \t\r\n▁Ġ\"'`*_#([{<“”‘’"
_NAMED = re.compile(r"(?:label|verdict|answer)\W{0,4}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReply:
    """The chosen label, and the probabilities of all labels, in the order of the request; they sum to 1.

    If ``measured`` is true, they come from the server's log-probabilities; otherwise, the chosen label has the
    probability ``WORD_PROBABILITY``.
    """

    label: str
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    measured: bool

    def probability_of(self, label: str) -> float:
        return self.probabilities[self.labels.index(label)] if label in self.labels else 0.0


def read_label(reply: ChatReply, labels: Sequence[str]) -> LabelReply:
    """Read which of ``labels`` a reply names, in any letter case; the model's thoughts before it are ignored.

    With log-probabilities, this is the most probable label at the beginning of the reply. Without them, or if the reply
    probably does not begin with a label, this is the label that the text begins or ends with.

    Raises:
        MalformedReply: the reply names no label; the message lists the labels.
    """
    answer = without_thoughts(reply.text)
    place = len(reply.text) - len(answer.lstrip(_AROUND))
    measured = label_probabilities(options_at(reply.tokens or (), place), labels)
    if measured is not None:
        best = max(range(len(labels)), key=lambda n: measured[n])
        return LabelReply(label=labels[best], labels=tuple(labels), probabilities=measured, measured=True)
    named = _named(answer, labels)
    if named is None:
        if reply.truncated and reply.text.strip() and not answer.strip():
            raise MalformedReply(
                "The reply was cut while the model was still writing its thoughts, so it names no label. Switch this "
                "model's thinking off on its server."
            )
        raise MalformedReply(f"The reply names none of the labels {', '.join(labels)}.")
    return unmeasured(named, labels)


def read_field_labels(
    reply: ChatReply, field: str, named: Sequence[str], labels: Sequence[str]
) -> tuple[LabelReply, ...]:
    """Return the probabilities of the labels ``named``, which are the values of ``field`` in a JSON reply, in order.

    In this way, verdicts that follow their reasons also have probabilities. If the server returns no log-probabilities,
    or the number of fields in the text differs from the number of labels, only the labels themselves count.
    """
    places = [match.end() for match in re.finditer(rf"""["']{re.escape(field)}["']\s*:\s*["']?""", reply.text)]
    if len(places) != len(named):
        return tuple(unmeasured(label, labels) for label in named)
    found = []
    for place, label in zip(places, named, strict=True):
        measured = label_probabilities(options_at(reply.tokens or (), place), labels)
        if measured is None:
            found.append(unmeasured(label, labels))
        else:
            found.append(LabelReply(label=label, labels=tuple(labels), probabilities=measured, measured=True))
    return tuple(found)


def unmeasured(named: str, labels: Sequence[str]) -> LabelReply:
    """Return the reply of a model that named ``named``, one of ``labels``, without log-probabilities."""
    rest = (1.0 - WORD_PROBABILITY) / max(1, len(labels) - 1)
    probabilities = tuple((WORD_PROBABILITY if label == named else rest) for label in labels)
    return LabelReply(
        label=named, labels=tuple(labels), probabilities=probabilities if len(labels) > 1 else (1.0,), measured=False
    )


def options_at(tokens: Sequence[ReplyToken], place: int) -> tuple[TokenOption, ...]:
    """Return the possible tokens at ``place`` in the text of a reply; () if there is no token.

    In this way, labels in the middle of a reply, such as in a field of a JSON object, also have probabilities.
    """
    end = 0
    for token in tokens:
        end += len(token.text)
        if place < end:
            own = () if any(option.text == token.text for option in token.options) else (token,)
            return (*token.options, *(TokenOption(text=each.text, logprob=each.logprob) for each in own))
    return ()


def label_probabilities(options: Sequence[TokenOption], labels: Sequence[str]) -> tuple[float, ...] | None:
    """Return the probability of each label, renormalised over the labels, from the tokens at the label's beginning.

    A token counts for a label that it equals or begins, if no other label begins with it; the tokens of one label
    ("relevant", " Relevant", "rel") are added up. Return None if there are no options, or if the labels have less than
    half of the probability, because the reply then begins with something else.
    """
    folded = [label.casefold() for label in labels]
    masses = [0.0] * len(labels)
    for option in options:
        piece = option.text.strip(_AROUND).casefold()
        begun = [n for n, label in enumerate(folded) if label.startswith(piece)] if piece else []
        if len(begun) == 1 and (len(piece) >= _LEAST_LETTERS or folded[begun[0]] == piece):
            masses[begun[0]] += math.exp(min(0.0, option.logprob))
    total = sum(masses)
    return tuple(mass / total for mass in masses) if total >= _LEAST_MASS else None


def _named(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that a text begins with, or that its last line ends with, as a whole word."""
    bare = text.strip().strip(_AROUND)
    for label in sorted(labels, key=len, reverse=True):
        if re.match(rf"{re.escape(label)}(?![\w'’?/|-])", bare, re.IGNORECASE):
            return label
    last = text.strip().splitlines()[-1] if text.strip() else ""
    for label in sorted(labels, key=len, reverse=True):
        match = re.search(rf"(?<!\w){re.escape(label)}[\s\"'`*_.)\]}}”’]*$", last, re.IGNORECASE)
        if match and (last[: match.start()].strip(_AROUND) == "" or _NAMED.search(last[: match.start()])):
            return label
    return None
