"""Verdicts by label: what is read from log-probabilities, and what from the word alone."""

import math
from dataclasses import replace

import pytest

from contracts.errors import MalformedReply
from tools.chat.base import ChatReply, ReplyToken, TokenOption
from tools.labels import WORD_PROBABILITY, label_probabilities, options_at, read_field_labels, read_label

LABELS = ("relevant", "partial", "irrelevant")


def token(text: str, **others: float) -> ReplyToken:
    """Make a token whose likeliest alternatives have these probabilities."""
    options = tuple(TokenOption(text=each.replace("_", " "), logprob=math.log(p)) for each, p in others.items())
    return ReplyToken(text=text, logprob=0.0, options=options)


def reply_of(*tokens: ReplyToken) -> ChatReply:
    return ChatReply(text="".join(each.text for each in tokens), model="m", tokens=tokens)


def options(**probabilities: float) -> tuple[TokenOption, ...]:
    return token("", **probabilities).options


def test_label_probability_sums_its_unambiguous_tokens() -> None:
    found = label_probabilities(options(_relevant=0.3, Relevant=0.1, rel=0.2, partial=0.1, The=0.2), LABELS)
    assert found == pytest.approx((0.6 / 0.7, 0.1 / 0.7, 0.0))
    found = label_probabilities(options(un=0.2, faithful=0.6, unsure=0.1, I=0.1), ("faithful", "unfaithful", "unsure"))
    assert found == pytest.approx((0.6 / 0.7, 0.0, 0.1 / 0.7))
    assert label_probabilities(options(A=0.75, B=0.25), ("A", "B")) == pytest.approx((0.75, 0.25))
    assert label_probabilities(options(A=0.75, B=0.25), ("AA", "AB")) is None
    assert label_probabilities(options(The=0.6, relevant=0.4), LABELS) is None
    assert label_probabilities((), LABELS) is None
    # A token that is missing from its own options counts.
    (own,) = options_at((ReplyToken(text="yes", logprob=-0.1),), 0)
    assert own == TokenOption(text="yes", logprob=-0.1)
    assert options_at((own_token := ReplyToken(text="yes", logprob=-0.1, options=(own,)),), 2) == own_token.options
    assert options_at((own_token,), 3) == ()


def test_label_after_quotes_and_thoughts_is_used() -> None:
    tokens = (
        token("<think>", think=0.9),
        token("relevant?", irrelevant=0.9),
        token("</think>\n\n"),
        token('"'),
        token("rel", rel=0.6, irre=0.4),
        token('evant"'),
    )
    found = read_label(reply_of(*tokens), LABELS)
    assert (found.label, found.measured) == ("relevant", True)
    assert found.probability_of("irrelevant") == pytest.approx(0.4)
    assert found.probability_of("misleading") == 0.0


def test_label_without_log_probabilities_has_the_default_probability() -> None:
    for text, label in [
        ("irrelevant", "irrelevant"),
        ("**Partial**: it names the pump only.", "partial"),
        ("<think>irrelevant</think> relevant.", "relevant"),
        ("It names the pump.\nVerdict: partial", "partial"),
        ("The answer is\n`irrelevant`.", "irrelevant"),
    ]:
        found = read_label(ChatReply(text=text, model="m"), LABELS)
        assert (found.label, found.measured) == (label, False)
        assert found.probability_of(label) == WORD_PROBABILITY
        assert sum(found.probabilities) == pytest.approx(1.0)


def test_a_reply_that_names_no_label_is_refused() -> None:
    unsure = "I cannot say whether it is relevant"
    for text in ("", unsure, "not relevant", "relevant/partial", "relevantly", "<think>relevant"):
        with pytest.raises(MalformedReply, match="relevant, partial, irrelevant"):
            read_label(ChatReply(text=text, model="m"), LABELS)


def test_labels_in_structured_fields_have_probabilities_in_order() -> None:
    tokens = (
        token('{"reason": "no label", "label": "'),
        token("partial", partial=0.75, irrelevant=0.25),
        token('"}, {"label":"'),
        token("rel", rel=0.5, partial=0.5),
        token('evant"}'),
    )
    reply = reply_of(*tokens)
    first, second = read_field_labels(reply, "label", ["partial", "relevant"], LABELS)
    assert first.probabilities == pytest.approx((0.0, 0.75, 0.25))
    assert (second.label, second.probability_of("relevant")) == ("relevant", pytest.approx(0.5))
    (alone,) = read_field_labels(reply, "label", ["partial"], LABELS)
    assert (alone.label, alone.measured) == ("partial", False)


def test_reply_cut_off_while_thinking_is_recognised() -> None:
    thinking = ChatReply(text="<think>The first passage", model="m", finish_reason="length")
    with pytest.raises(MalformedReply, match="thinking off"):
        read_label(thinking, ("good", "bad"))
    for reply in (ChatReply(text="The first", model="m", finish_reason="length"), replace(thinking, text="")):
        with pytest.raises(MalformedReply, match="none of the labels good, bad"):
            read_label(reply, ("good", "bad"))
