"""Finds dictionary terms in a question: in any letter case, in the plural, with hyphens, or of several words."""

from collections.abc import Awaitable, Callable, Sequence

from contracts.jargon import Mention, MentionKind
from contracts.text import Span
from intrinsics.jargon_identification import cues
from intrinsics.jargon_identification.spellings import SpellingIndex, key_of
from intrinsics.jargon_identification.tokens import Token, is_ordinary, read_tokens
from intrinsics.jargon_identification.unknown_terms import kind_of
from library.tokenization import find_command_names
from tools.language import STOP_WORDS, fold

KnownWords = Callable[[str], Awaitable[bool]]

# The probability that an ordinary word is jargon if the question uses it as the name of a command.
_COMMAND_PROBABILITY = 0.9


def find_known(question: str, tokens: Sequence[Token], index: SpellingIndex) -> list[Mention]:
    """Return the mentions of the terms in ``index``, in order and without overlaps."""
    all_caps = cues.is_all_caps(question, tokens)
    commands = {span.start for span in find_command_names(question)}
    mentions: list[Mention] = []
    start = 0
    while start < len(tokens):
        for length in range(min(index.reach(tokens[start]), len(tokens) - start), 0, -1):
            run = tokens[start : start + length]
            key = key_of(run, question)
            plural = run[-1].capitals and not run[-1].bare.isupper()
            spellings = index.find(key, capitals=run[-1].capitals and not plural)
            if plural and run[-1].bare not in spellings:
                spellings = index.find(key[:-1], capitals=True) or spellings
            choice = None
            if spellings and run[0].span.start in commands:
                choice = (next((each for each in spellings if each == run[0].bare), spellings[0]), _COMMAND_PROBABILITY)
            elif spellings:
                choice = _choose_spelling(question, run, spellings, all_caps)
            if choice:
                spelling, probability = choice
                span = Span(run[0].span.start, run[-1].end)
                term = index.term_of(spelling)
                mentions.append(known_mention(question, span, term, kind_of_term(spelling), probability))
                start += length - 1
                break
        start += 1
    return mentions


def _choose_spelling(
    question: str, run: Sequence[Token], spellings: Sequence[str], all_caps: bool
) -> tuple[str, float] | None:
    """Return the spelling that fits the letter case of ``run``, and the probability; None for an ordinary word."""
    text = question[run[0].span.start : run[-1].span.end]
    forms = (text, run[0].bare, run[0].bare[:-1])
    exact = next((spelling for spelling in spellings if spelling in forms), None)
    if len(run) > 1:
        return exact or spellings[0], 0.97 if exact else 0.93
    token, folded = run[0], fold(run[0].bare)
    if token.blind and not exact and (token.plain_number or token.text[:1].isdigit()):
        return None
    spelling = exact or spellings[0]
    cased = token.capitals or token.bare[:2].isupper() or (exact is not None and token.mixed)
    ordinary = is_ordinary(folded) or (folded == fold(spelling) + "s" and is_ordinary(spelling))
    abbreviation = sum(c.isupper() for c in spelling) >= 2 or any(c.isdigit() for c in spelling)
    if len(folded) == 1:
        labelled = question[token.span.end : token.span.end + 1] in (")", ".")
        lone = spelling == token.bare and not labelled and folded not in STOP_WORDS and folded != "i"
        return (spelling, 0.6) if lone else None
    if ordinary and (all_caps or not cased):
        # "act", "Act" and, if all words are in capitals, "ACT" are the verb; but a term that is an ordinary word may be
        # intended.
        if folded in STOP_WORDS or (abbreviation and not all_caps):
            return None
        return spelling, 0.4
    if exact:
        return spelling, 0.99
    if len(folded) <= 2 and token.capitals and not all_caps and not spelling.isupper():
        return None
    return spelling, 0.95 if len(folded) > 2 else 0.75


def known_mention(question: str, span: Span, term: str, kind: MentionKind, probability: float) -> Mention:
    """Return the mention of the dictionary term ``term`` at ``span`` in ``question``."""
    text = question[span.start : span.end]
    return Mention(text=text, span=span, term=term, kind=kind, probability=probability, known=True)


def kind_of_term(term: str) -> MentionKind:
    """Return the kind of a dictionary term, based on its shape."""
    if " " in term or ("-" in term and term.islower()):
        return "phrase"
    tokens = read_tokens(term)
    letters = "".join(c for c in term if c.isalpha())
    if tokens and letters and (letters.islower() or letters.istitle()) and not any(c.isdigit() for c in term):
        return "code" if "_" in term else "phrase"
    return kind_of(tokens[0]) if tokens else "code"
