"""Question rewriting without a model: fragments replace parts of the last question, and subjects replace pronouns."""

import re
import time
from collections.abc import Sequence

from contracts.question import RewrittenQuestion, Turn
from intrinsics.question_rewriting.phrases import DETERMINER, NounPhrase, find_noun_phrases, find_subjects
from tools.judges import provenance_since
from tools.language import STOP_WORDS, content_stems, find_words, fold, split_sentences
from tools.language.verbs import base_form, is_also_noun

_MAX_TURNS = 12
_MAX_FRAGMENT_WORDS = 8
# An answer this short names only what was asked for; longer answers mention many other things.
_SHORT_ANSWER_WORDS = 8
# If no phrase has at least this salience, the topic is appended to the question instead.
_LEAST_SALIENCE = 0.3
# If no phrase is at least this similar to a circumstance ("for contractors"), the circumstance is added instead.
_LEAST_LIKENESS = 1.0

_LEAD = r"\s*(?:(?:and|or|but|ok(?:ay)?|so|then|yes|no|also|now|oh|sorry|hm+|thanks|thank you)\b[,.!]?\s+)*"
_PLACE = r"(?:for|in|on|at|with|without|from|by|of|under|during|after|before|to|if|when)"
_FRAGMENT = re.compile(
    rf"{_LEAD}(?:(?:what|how)\s+about|what\s+if\s+it(?:'s|\s+is)|i\s+meant?|"
    rf"(?:is\s+(?:it|that|this)\s+(?:also\s+)?)?(?:the\s+)?same(?=\s+{_PLACE}\b)|"
    rf"do(?:es)?\s+(?:it|that|this|the\s+same)\s+(?:also\s+)?(?:apply|go|hold)(?=\s+{_PLACE}\b))"
    r"\s*(?P<rest>.+?)[\s?.!]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_LED = re.compile(rf"(?P<lead>{_LEAD})(?P<rest>.+?)[\s?]*\Z", re.IGNORECASE | re.DOTALL)
_BARE = re.compile(
    rf"{_LEAD}(?:(?P<why>why)(?:\s+(?:not|so|is\s+that|that))?|"
    r"(?:for\s+)?how(?:\s+(?:so|come|exactly|long|much|many|often|fast|big|far|old))?|"
    r"(?:since\s+)?when|where|who|by\s+whom|how\s+is\s+that|really|are\s+you\s+sure|(?:what|anything)\s+else|"
    r"(?:tell\s+me\s+)?more|go\s+on|such\s+as|for\s+example|like\s+what|which\s+ones?|explain|what\s+for)\s*[?.!]*\s*\Z",
    re.IGNORECASE,
)
_WH = re.compile(r"(?:who|whom|whose|what|which|where|why|how)\b", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?\b",
    re.IGNORECASE,
)
_CIRCUMSTANCE = re.compile(rf"(?P<word>{_PLACE})\s+(?P<thing>.+)\Z", re.IGNORECASE | re.DOTALL)
_ONE = re.compile(rf"(?:{DETERMINER}\s)?(?P<kind>[^\W\d_][\w-]*(?:\s[\w-]+)?)\sone(?P<many>s?)\Z", re.IGNORECASE)
_DETERMINER_LAST = re.compile(rf"\b{DETERMINER}\s+\Z", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?P<word>its?|they|them|theirs?|he|him|she|this|that|these|those|his|hers?)\b(?!['’](?!(?:s|re|ll|d)\b))",
    re.IGNORECASE,
)
_MANY = frozenset(["they", "them", "their", "theirs", "these", "those"])
_PERSON = frozenset(["he", "him", "she", "his", "her", "hers"])
_WHOSE = frozenset(["its", "their", "theirs", "his", "her", "hers"])
_EXPLETIVE = re.compile(
    r"\b(?:is|was|does|will|would|can|could|if|when)\s+it\s+(?:\w+\s+){0,2}(?:that|to|possible|necessary|allowed|true|worth|"
    r"safe|ok|rain|mean\s+(?:that|to|when|if)|take\s+(?:\w+\s+){0,2}?(?:to|for))\b(?!\s*\?)|"
    r"\bit\s+(?:(?:is|was)\s+(?:\w+\s+){0,2}(?:that|to|possible|necessary|true)|(?:seems|looks)\s+(?:that|like|my|the))\b",
    re.IGNORECASE,
)
_BEFORE_PRONOUN = re.compile(
    r"\b(?:of|for|about|is|does|do|did|was|to|with|from|under|into|over|in|on|after|before|like|than|why|how|and)\s\Z",
    re.IGNORECASE,
)
_ASKS_DO = re.compile(r"\b(?:do|does|did|can|could|will|would|should|may|might|must)\s\Z", re.IGNORECASE)
_NEW_CLAUSE = re.compile(
    r"[,;:.?!]|\b(?:and|but|or|if|when|while|because|so|before|after|since|that|which)\b", re.IGNORECASE
)
# Matches "ones", "the second", "the same", "the fastest", "what if I don't?" and "otherwise".
_POINTER = re.compile(
    r"\bones\b|\b(?:which|another|this|that)\s+one\b|\bone\W*\Z|"
    r"\b(?:the|an?)\s?(?:same|other|another|first|second|third|last|next|latter|former)\s+(?:one|is|are|do|does|\W*\Z)|"
    r"\b(?:which|who)\b.*\b(?:is|are)\s+(?:the\s+)?\w{2,}est\W*\Z|"
    r"\b(?:there|then|instead|otherwise|else|either|both)\W*\Z|"
    rf"\b(?:if|when|unless)\s+\w+\s+{_AUXILIARY.pattern}(?:\s+not|\s+so)?\W*\Z",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(r"\b(?:this|that|these|those|such(?:\s+an?)?)\s+(?P<noun>[^\W\d_]+)", re.IGNORECASE)


class EmbeddedQuestionRewriter:
    """Makes follow-ups stand alone with words from the conversation; standalone questions are left unchanged."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        started = time.perf_counter()
        text = _rewrite(question, _standalone_turns(history[-_MAX_TURNS:]))
        return RewrittenQuestion(text=text, changed=text != question, provenance=provenance_since(started))


def _standalone_turns(history: Sequence[Turn]) -> list[Turn]:
    """Return the turns with all earlier questions rewritten, so that a chain of follow-ups keeps its subject."""
    turns: list[Turn] = []
    for turn in history:
        text = turn.text.strip()
        turns.append(Turn(role=turn.role, text=_rewrite(text, turns) if turn.role == "user" and text else text))
    return turns


def _rewrite(question: str, turns: Sequence[Turn]) -> str:
    previous = next((turn.text for turn in reversed(turns) if turn.role == "user" and turn.text), "")
    if not previous or not question.strip():
        return question
    if bare := _BARE.match(question):
        asks_whether = bare["why"] and _AUXILIARY.match(previous)
        return (
            f"Why {previous[:1].lower()}{previous[1:]}"
            if asks_whether
            else f"{previous} {_capitalised(question.strip())}"
        )
    if fragment := _fragment_of(question):
        return _put_in_place(fragment, previous)
    pronouns = [each for each in _PRONOUN.finditer(question) if _points_back(each)]
    text = _resolved(question, pronouns, turns) if pronouns else question
    if text == question and (pronouns or _leaves_open(question)):
        return _with_topic(question, turns)
    return text


def _fragment_of(question: str) -> str:
    """Return the replacement text in a fragment such as "and for DDR2?", or ""."""
    if match := _FRAGMENT.match(question):
        return match["rest"]
    match = _LED.match(question)
    if not match or question.rstrip().endswith((".", "!")):
        return ""
    rest, led = match["rest"], bool(match["lead"].strip())
    if _WH.match(rest) or _AUXILIARY.search(rest):
        return ""
    short = question.rstrip().endswith("?") and (_CIRCUMSTANCE.match(rest) or len(rest.split()) <= 3)
    pointing = content_stems(rest) or _PRONOUN.search(rest)
    return rest if (led or short) and pointing and len(rest.split()) <= _MAX_FRAGMENT_WORDS else ""


def _put_in_place(fragment: str, previous: str) -> str:
    """Replace the phrase in the question ``previous`` that ``fragment`` varies, or add ``fragment`` to the question."""
    circumstance = _CIRCUMSTANCE.match(fragment)
    thing = circumstance["thing"] if circumstance else fragment
    phrases = find_noun_phrases(previous)
    if phrases and (one := _ONE.match(thing)):
        many = bool(one["many"])
        target = max(phrases, key=lambda each: (" " in each.text, each.plural == many, each.span.start))
        thing = f"{one['kind']} {target.text.split()[-1]}"
        before = re.sub(r"\ban?\s\Z", "an " if thing[0] in "aeiou" else "a ", previous[: target.span.start])
        return f"{before}{thing}{previous[target.span.end :]}"
    word = circumstance["word"].lower() if circumstance else ""
    new = next(iter(find_noun_phrases(thing)), None)
    likeness = {each: _likeness(each, new, thing) for each in phrases} if new else {}
    best = max(likeness, key=lambda each: (likeness[each], each.span.start), default=None)
    unlike = best is None or likeness[best] < (_LEAST_LIKENESS if word else 0.1) or fold(best.text) == fold(thing)
    if best is None or unlike or word in {"if", "when"}:
        beside = fragment if circumstance or not new else f"for {fragment}"
        return f"{previous.rstrip(' ?.!')}{'' if word else ','} {beside}?"
    before = previous[: best.span.start]
    if re.match(DETERMINER + r"\s", thing, re.IGNORECASE):
        before = _DETERMINER_LAST.sub("", before)
    return _capitalised(f"{before}{thing}{previous[best.span.end :]}")


def _likeness(old: NounPhrase, new: NounPhrase, thing: str) -> float:
    """Score how well ``new`` can replace ``old``, by shared words, shape, number and article."""
    shared = len(set(content_stems(old.text)) & set(content_stems(thing)))
    shapes = {_shape(word) for word in old.text.split()} & {_shape(word) for word in thing.split()} - {"x"}
    score = 1.5 * shared + 2.0 * bool(shapes)
    if new.named and not (old.named or new.article or score):
        return 0.0
    alike = (new.plural == old.plural) + (new.article == old.article)
    return score + 0.3 * alike + 0.5 * (new.named and old.named)


def _shape(word: str) -> str:
    """Return the kinds of characters in ``word``, without repeats: "A9" for DDR3 and HBM2, "x" for lowercase words."""
    kinds = "".join("A" if c.isupper() else "9" if c.isdigit() else "x" if c.isalpha() else "_" for c in word)
    return re.sub(r"(.)\1+", r"\1", kinds)


def _points_back(pronoun: re.Match[str]) -> bool:
    """Return whether ``pronoun`` refers to nothing in its own question, and so to an earlier turn."""
    question, word = pronoun.string, fold(pronoun["word"])
    before, after = question[: pronoun.start()], question[pronoun.end() :].lstrip()
    if any(match.start() <= pronoun.start() < match.end() for match in _EXPLETIVE.finditer(question)):
        return False
    if word in {"that", "this", "these", "those"}:
        # "That" is a determiner before a noun, and a conjunction unless a verb or preposition comes before it.
        following = [fold(each.text) for each in find_words(after)[:2]]
        if following and word == "that" and before.strip() and not _BEFORE_PRONOUN.search(before):
            return False
        verb = bool(following and base_form(following[0]) and _ASKS_DO.search(before))
        verb = verb and (not is_also_noun(following[0]) or following[-1] in STOP_WORDS or len(following) == 1)
        if following and following[0] not in STOP_WORDS and not verb:
            return False
    return not any(
        phrase.span.end < pronoun.start()
        and (phrase.named or phrase.article or " " in phrase.text)
        and (word in _WHOSE or _NEW_CLAUSE.search(question, phrase.span.end, pronoun.start()))
        for phrase in find_noun_phrases(question)
    )


def _resolved(question: str, pronouns: Sequence[re.Match[str]], turns: Sequence[Turn]) -> str:
    """Replace the last singular, plural and personal pronoun with the phrases that they stand for."""
    text, done = question, set[str]()
    for pronoun in reversed(pronouns):
        word = fold(pronoun["word"])
        number = "many" if word in _MANY else "person" if word in _PERSON else "one"
        name = _antecedent(word, question, turns) if number not in done else ""
        if name:
            done.add(number)
            whose = word in _WHOSE
            if whose or question[pronoun.end() :].startswith(" have"):
                name = re.split(r"\sof\s", name)[-1]
            if whose:
                name += "'" if name.endswith("s") else "'s"
            text = text[: pronoun.start()] + name + text[pronoun.end() :]
    return _capitalised(re.sub(_LEAD, "", text, count=1, flags=re.IGNORECASE)) if done else question


def _antecedent(pronoun: str, question: str, turns: Sequence[Turn]) -> str:
    """Return the most salient phrase in the conversation that ``pronoun`` may stand for, or ""."""
    asked = set(content_stems(question))
    scores: dict[str, float] = {}
    names: dict[str, str] = {}
    for age, turn in enumerate(reversed(turns)):
        for place, phrase in enumerate(_phrases_of(turn)):
            if set(content_stems(phrase.text)) <= asked or phrase.text[0].isdigit():
                continue
            key = fold(phrase.text)
            salience = _salience(phrase, pronoun, turn) / (1.0 + 0.3 * age) / (1.0 + 0.25 * place)
            # Repeated occurrences add up only for names.
            before = scores.get(key, 0.0)
            scores[key] = before + salience if phrase.named else max(before, salience)
            names.setdefault(key, f"the {phrase.text}" if phrase.article else phrase.text)
    best = max(scores, key=lambda key: scores[key], default="")
    return names[best] if best and scores[best] >= _LEAST_SALIENCE else ""


def _salience(phrase: NounPhrase, pronoun: str, turn: Turn) -> float:
    """Score a phrase as an antecedent: whether it is a name, is in a question, and agrees in number."""
    score = 1.0
    if turn.role == "assistant":
        score *= 0.8 if phrase.named and len(turn.text.split()) <= _SHORT_ANSWER_WORDS else 0.2
    if phrase.named:
        score *= 1.8
    elif not phrase.article and " " not in phrase.text:
        # A single lowercase word without an article is often a verb that is not in the word list.
        score *= 0.4
    if pronoun in _PERSON:
        return score * (3.0 if phrase.person else 0.15)
    if pronoun in _MANY:
        return score * (1.8 if phrase.plural else 0.7)
    return score * (0.6 if phrase.plural else 1.0)


def _phrases_of(turn: Turn) -> tuple[NounPhrase, ...]:
    """Return the possible subjects of a question, or the noun phrases in the first two sentences of an answer."""
    if turn.role == "user":
        return find_subjects(turn.text)
    spans = split_sentences(turn.text)[:2]
    return find_noun_phrases(turn.text[: spans[-1].end]) if spans else ()


def _leaves_open(question: str) -> bool:
    """Return whether ``question`` refers to something that it does not name, or hardly names anything."""
    demonstrative = _DEMONSTRATIVE.search(question)
    if demonstrative and fold(demonstrative["noun"]) not in STOP_WORDS:
        # After a noun, as in "the fan that fits", "that" is a conjunction.
        behind = any(each.span.end == demonstrative.start() - 1 for each in find_noun_phrases(question))
        return not (behind and fold(demonstrative.group()).startswith("that "))
    if _POINTER.search(question):
        return True
    # For example, "And what is the limit?"
    named = any(each.named for each in find_noun_phrases(question))
    return question.rstrip().endswith("?") and len(content_stems(question)) == 1 and not named


def _with_topic(question: str, turns: Sequence[Turn]) -> str:
    """Append the topic of the conversation to ``question``."""
    asked = set(content_stems(question))
    for turn in reversed(turns):
        found = [each for each in find_subjects(turn.text) if not set(content_stems(each.text)) <= asked]
        if turn.role == "user" and found:
            return _beside(question, found)
    return question


def _beside(question: str, subjects: Sequence[NounPhrase]) -> str:
    chosen: list[str] = []
    for each in subjects:
        if not chosen or not any(each.text in other for other in chosen):
            chosen.append(each.text)
    text = question.rstrip(" ?.!")
    return f"{text} ({', '.join(chosen[:3])}){question.rstrip()[len(text) :]}"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
