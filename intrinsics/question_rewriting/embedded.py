"""Question rewriting without a model: fragments in the place of what they vary, nouns in the place of pronouns."""

import re
import time
from collections import Counter
from collections.abc import Sequence

from contracts.question import RewrittenQuestion, Turn
from contracts.text import Span
from intrinsics.question_rewriting.phrases import (
    NounPhrase,
    Pronoun,
    content_words,
    demonstrative_of,
    find_noun_phrases,
    fragment_of,
    is_bare,
    is_keyword,
    pronouns_of,
)
from tools.judges import provenance_since
from tools.language import find_quantities, fold, split_sentences

_MAX_TURNS = 12
_MAX_ANSWER_CHARACTERS = 600
_PREPOSITION = re.compile(
    r"(?P<word>for|in|on|at|with|without|from|by|of|under|during|after|before|to|when|if)\s+(?P<object>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)

_ONE = re.compile(r"(?:(?:the|an?)\s+)?(?P<kind>[^\W\d_][\w-]*(?:\s[\w-]+)?)\s+ones?\Z", re.IGNORECASE)
_DETERMINER = r"(?:the|an?|my|our|your|this|that|these|those)"
_DETERMINER_FIRST = re.compile(rf"{_DETERMINER}\s", re.IGNORECASE)
_DETERMINER_LAST = re.compile(rf"\b{_DETERMINER}\s+\Z", re.IGNORECASE)
_NEW_CLAUSE = re.compile(
    r"[,;:.?!]|\b(?:and|but|or|if|when|while|because|so|before|after|since|that|which)\b", re.IGNORECASE
)
_LEADING = re.compile(r"(?:and|but|so|then|also|ok(?:ay)?|or)\b[,]?\s+", re.IGNORECASE)
# An answer this short names what was asked for; longer ones mention much that is not the subject.
_SHORT_ANSWER_WORDS = 8
# Below this nothing stands out, and the topic is named beside the question instead.
_LEAST_SALIENCE = 0.3


class EmbeddedQuestionRewriter:
    """Makes follow-ups stand alone from the words of the conversation; questions that stand alone stay as they are."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        """Make ``question``, the last turn after ``history``, stand alone; leave it as it is where it does already."""
        started = time.perf_counter()
        text = _rewrite(question, _standalone_turns(history[-_MAX_TURNS:]))
        return RewrittenQuestion(
            text=text,
            changed=text != question,
            provenance=provenance_since(started),
        )


def _standalone_turns(history: Sequence[Turn]) -> list[Turn]:
    """Return the turns with each earlier question made to stand alone: a chain of follow-ups keeps its subject."""
    turns: list[Turn] = []
    for turn in history:
        text = turn.text.strip()
        turns.append(Turn(role=turn.role, text=_rewrite(text, turns) if turn.role == "user" and text else text))
    return turns


def _rewrite(question: str, turns: Sequence[Turn]) -> str:
    asked = [turn.text for turn in turns if turn.role == "user" and turn.text]
    if not asked or not question.strip():
        return question
    previous = asked[-1]
    if is_bare(question):
        return f"{previous.rstrip()} {_capitalised(question.strip())}"
    fragment = fragment_of(question)
    if fragment and not pronouns_of(fragment):
        return _put_in_place(fragment, previous)
    text = question
    pronouns = tuple(each for each in pronouns_of(question) if not _explained(question, each))
    if pronouns:
        text = _resolve(question, pronouns, turns)
        if text != question:
            return text
    if pronouns or demonstrative_of(question) or fragment or is_keyword(question):
        return _with_topic(question, turns)
    return question


def _explained(question: str, pronoun: Pronoun) -> bool:
    """Say whether ``pronoun`` stands for what the question itself named before: "How does X work, is it …"."""
    return any(
        phrase.span.end < pronoun.span.start
        and (phrase.named or phrase.article or " " in phrase.text)
        and bool(_NEW_CLAUSE.search(question, phrase.span.end, pronoun.span.start))
        for phrase in find_noun_phrases(question)
    )


def _put_in_place(fragment: str, previous: str) -> str:
    """Put ``fragment`` in the place of what it is parallel to in the question ``previous``."""
    fragment = fragment.strip(" ?.!,")
    match = _PREPOSITION.match(fragment)
    thing = match.group("object") if match else fragment
    if kind := _other_kind(thing, previous):
        return kind
    target = _after_preposition(previous, match.group("word")) if match else None
    target = target or _parallel(previous, thing)
    if target is None:
        return f"{previous.rstrip(' ?.!')}, {fragment if match else 'for ' + fragment}?"
    before, after = previous[: target.start], previous[target.end :]
    if _DETERMINER_FIRST.match(thing):
        before = _DETERMINER_LAST.sub("", before)
    return _capitalised(f"{before}{thing}{after}")


def _other_kind(thing: str, previous: str) -> str | None:
    """Return ``previous`` about another kind of its last thing: "the scanned one" makes "a text PDF" a scanned PDF."""
    match = _ONE.match(thing)
    if not match:
        return None
    phrases = find_noun_phrases(previous)
    # What comes in kinds is more often said with "a" or without an article than with "the".
    several = [phrase for phrase in phrases if " " in phrase.text]
    loose = [phrase for phrase in several if not re.search(r"\bthe\s\Z", previous[: phrase.span.start], re.IGNORECASE)]
    if not phrases:
        return None
    target = (loose or several or phrases)[-1]
    words = target.text.split()
    kind = f"{match.group('kind')} {words[-1]}"
    before = re.sub(r"\ban?\s\Z", "an " if kind[0].lower() in "aeiou" else "a ", previous[: target.span.start])
    return f"{before}{kind}{previous[target.span.end :]}"


def _after_preposition(previous: str, word: str) -> Span | None:
    """Return the place of what follows the last ``word`` of ``previous``."""
    matches = list(re.finditer(rf"\b{re.escape(word)}\s+(?:the\s+|an?\s+)?", previous, re.IGNORECASE))
    for match in reversed(matches):
        for phrase in find_noun_phrases(previous):
            if phrase.span.start == match.end():
                return Span(match.end(), phrase.span.end)
    return None


def _parallel(previous: str, thing: str) -> Span | None:
    """Return the place in ``previous`` of what is most like ``thing``: the same kind of name, an amount, a phrase."""
    amounts = find_quantities(thing)
    if amounts and amounts[0].span == Span(0, len(thing)):
        same = [each.span for each in find_quantities(previous) if each.unit == amounts[0].unit]
        if same:
            return same[-1]
    best: tuple[float, int, Span] | None = None
    mine = find_noun_phrases(f"the {thing}")
    named = any(phrase.named for phrase in mine) or bool(re.search(r"[A-Z]{2}|\d", thing))
    for phrase in find_noun_phrases(previous):
        score = _likeness(phrase, thing, named)
        if score > 0 and (best is None or (score, phrase.span.start) > best[:2]):
            best = (score, phrase.span.start, _part_like(phrase, thing))
    if best:
        return best[2]
    # Nothing alike: what the question asked of last, if the fragment is a thing and not a circumstance.
    phrases = [phrase for phrase in find_noun_phrases(previous) if phrase.article]
    return phrases[-1].span if phrases else None


def _likeness(phrase: NounPhrase, thing: str, named: bool) -> float:
    words, others = content_words(phrase.text), content_words(thing)
    shared = len(set(words) & set(others))
    prefix = max((_common_prefix(a, b) for a in words for b in others), default=0)
    same_shape = any(_shape(a) == _shape(b) for a in phrase.text.split() for b in thing.split() if _shape(a) != "x")
    score = 1.5 * shared + (2.0 if same_shape else 0.0) + (1.0 if prefix >= 3 else 0.0)
    if named == phrase.named:
        score += 0.5
    elif named:
        return score if score > 1.0 else 0.0
    return score


def _part_like(phrase: NounPhrase, thing: str) -> Span:
    """Return the one word of a named phrase that has the shape of ``thing``, or the whole phrase."""
    if len(thing.split()) == 1:
        for match in re.finditer(r"\S+", phrase.text):
            if _shape(match.group()) == _shape(thing) != "x":
                return Span(phrase.span.start + match.start(), phrase.span.start + match.end())
    return phrase.span


def _shape(word: str) -> str:
    """Return the kinds of characters of ``word``, each once: DDR3 and HBM2 are "A9", words in small letters "x"."""
    kinds = "".join("A" if c.isupper() else "9" if c.isdigit() else "x" if c.isalpha() else "_" for c in word)
    return re.sub(r"(.)\1+", r"\1", kinds)


def _common_prefix(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _resolve(question: str, pronouns: Sequence[Pronoun], turns: Sequence[Turn]) -> str:
    """Replace the first pronoun of each kind by the thing it stands for."""
    text = question
    done: set[str] = set()
    for pronoun in sorted(pronouns, key=lambda each: each.span.start)[:3]:
        number = (
            "many"
            if pronoun.kind in ("things", "whose_many")
            else pronoun.kind.removeprefix("whose_").removeprefix("whose")
        )
        if number in done:
            continue
        antecedent = _antecedent(pronoun, question, turns)
        if antecedent is None:
            continue
        done.add(number)
        shift = len(text) - len(question) if text != question else 0
        start, end = pronoun.span.start + shift, pronoun.span.end + shift
        name = antecedent.text if antecedent.named or not antecedent.article else f"the {antecedent.text}"
        if pronoun.kind.startswith("whose"):
            name += "'" if name.endswith("s") else "'s"
        text = text[:start] + name + text[end:]
    return _capitalised(_LEADING.sub("", text, count=1) if _LEADING.match(text) else text) if done else question


def _antecedent(pronoun: Pronoun, question: str, turns: Sequence[Turn]) -> NounPhrase | None:
    """Return the most salient phrase of the conversation that ``pronoun`` may stand for."""
    asked = set(content_words(question))
    scores: Counter[str] = Counter()
    phrases: dict[str, NounPhrase] = {}
    for age, turn in enumerate(reversed(turns)):
        found = find_noun_phrases(_opening(turn))
        for place, phrase in enumerate(found):
            if set(content_words(phrase.text)) <= asked or phrase.text[0].isdigit():
                continue
            scores[fold(phrase.text)] += _salience(phrase, pronoun, turn, age, place)  # type: ignore[assignment]
            phrases.setdefault(fold(phrase.text), phrase)
    if not scores:
        return None
    best, score = scores.most_common(1)[0]
    return phrases[best] if score >= _LEAST_SALIENCE else None


def _salience(phrase: NounPhrase, pronoun: Pronoun, turn: Turn, age: int, place: int) -> float:
    """Weigh a phrase as antecedent: recent, early in its turn, named, asked about, and agreeing in number."""
    score = 1.0 / (1.0 + 0.3 * age) / (1.0 + 0.25 * place)
    if turn.role == "assistant":
        score *= 0.8 if phrase.named and len(turn.text.split()) <= _SHORT_ANSWER_WORDS else 0.2
    if phrase.named:
        score *= 1.8
    elif not phrase.article and " " not in phrase.text:
        # One small word without an article is as often a verb that the word list does not know.
        score *= 0.4
    if pronoun.kind in ("person", "whose_person"):
        score *= 3.0 if phrase.person else 0.15
    elif pronoun.kind in ("things", "whose_many"):
        score *= 1.8 if phrase.plural else 0.7
    elif phrase.plural:
        score *= 0.6
    return score


def _opening(turn: Turn) -> str:
    """Return a question whole, of an answer its first sentences."""
    if turn.role == "user":
        return turn.text
    text = turn.text[:_MAX_ANSWER_CHARACTERS]
    spans = split_sentences(text)[:2]
    return text[: spans[-1].end] if spans else text


def _with_topic(question: str, turns: Sequence[Turn]) -> str:
    """Name after ``question`` what the conversation is about: the names in the last question, else its phrases."""
    previous = next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
    phrases = [phrase for phrase in find_noun_phrases(previous) if fold(phrase.text) not in fold(question)]
    chosen = [phrase.text for phrase in phrases if phrase.named] or [phrase.text for phrase in phrases]
    if not chosen:
        return question
    mark = question.rstrip()[-1:] if question.rstrip()[-1:] in "?.!" else ""
    return f"{question.rstrip(' ?.!')} ({', '.join(dict.fromkeys(chosen[:3]))}){mark}"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
