"""Questions about a plain clause: how many, how long, how often, when, where, who, what for, what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from intrinsics.question_writing.clauses import PlainClause, is_telling, is_vague
from tools.language import find_quantities, fold
from tools.language.verbs import base_form, is_gerund, is_past, third_person
from tools.reading.dimensions import has_dimension

_WORD_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve fifteen sixteen twenty thirty forty fifty hundred"
)
_BOUND = (
    r"(?:(?:at most|at least|up to|no more than|not more than|no fewer than|no less than|a maximum of|a minimum of|"
    r"exactly|about|approximately|around|only|more than|less than|fewer than)\s+)?"
)
_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{'|'.join(_WORD_NUMBERS.split())})(?![\w-]|[.,]\d)"
_COUNTED = frozenset([*_WORD_NUMBERS.split(), "exactly", "only"])
_NO_AGENTS = frozenset("first default hand means itself whoever one a an the both either neither".split())  # noqa: SIM905
_PERIOD = (
    r"(?:ns|[µu]s|ms|s|min|h|nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|(?:working |business )?"
    r"days?|weeks?|months?|years?)\b"
)
_TIMES = re.compile(
    rf"\b(?P<answer>{_BOUND}{_NUMBER} times)\b(?! (?:as|more|less|faster|slower|the|larger|higher))", re.I
)
_EVERY = re.compile(
    rf"\b(?P<answer>every (?:{_NUMBER} )?(?:other )?{_PERIOD}|(?:once|twice) (?:a|per|every) {_PERIOD})"
)
_FOR = re.compile(rf"\bfor (?P<answer>{_BOUND}{_NUMBER} {_PERIOD})", re.I)
_WITHIN = re.compile(rf"\bwithin (?P<answer>{_BOUND}{_NUMBER} {_PERIOD})", re.I)
_AT = re.compile(rf"\bat (?P<answer>{_BOUND}-?{_NUMBER} ?(?P<unit>°C|°F|V|mV|MHz|GHz|kHz|MT/s|GT/s))(?!\w)", re.I)
_AT_WHAT = {"°C": "temperature", "°F": "temperature", "V": "voltage", "mV": "voltage", "MHz": "frequency",
            "GHz": "frequency", "kHz": "frequency", "MT/s": "rate", "GT/s": "rate"}  # fmt: skip
_COUNT = re.compile(
    rf"^(?P<answer>{_BOUND}{_NUMBER}) (?P<thing>(?!of\b|percent\b|times\b|or\b|and\b|to\b|per\b)[A-Za-z][\w-]*"
    r"(?: [a-z][\w-]*){0,3}?s)(?P<of>(?: (?:of|per) (?:(?:the|a|an|each) )?[\w-]+(?: [\w-]+)?)?)"
    r"(?=$| (?:in|on|at|for|to|from|with|by|per|during|when|before|after|between|through)\b)",
    re.IGNORECASE,
)
_PLURAL_STOP = re.compile(r"\b(?:is|are|as|has|was|this|in|on|at|for|to|from|with|by|and|or|that)\b", re.I)
_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = (
    rf"(?:on {_DAY}(?: and {_DAY})?|(?:on|in) (?:\d{{1,2}} )?{_MONTH}(?: \d{{1,2}},?)?(?: (?:19|20)\d\d)?|"
    r"in (?:19|20)\d\d|at \d{1,2}:\d\d)"
)
_WHEN = re.compile(rf"(?P<answer>\b{_DATE}(?: {_DATE})*)(?!\w)")
_WHERE = re.compile(
    r"^(?P<answer>(?:in|on|at|under|inside) (?!order|case|this|that|parallel|use\b|place|progress|a way|addition|"
    r"general|detail|conjunction|response|terms|accordance|which|its|the same|combination|time|least|most|once|"
    r"\d|advance|full|part\b|section|behalf|demand|the order|hexadecimal|binary|bytes|bits|units|[\w-]+ing\b)\S.*)$"
)
_PLACED = frozenset(
    """
    store locate keep place mount find save write hold record mark install print display put register publish
    """.split()  # noqa: SIM905
)
_HUMAN = frozenset("invent discover lead head chair sign approve write found teach design own".split())  # noqa: SIM905
_STAYS = frozenset(
    """
    reside sit live stand wait lie
    """.split()  # noqa: SIM905
)
_PEOPLE = re.compile(
    r"\b(?:teams?|officers?|engineers?|managers?|administrators?|operators?|staff|groups?|departments?|committees?|"
    r"company|companies|customers?|users?|developers?|technicians?|vendors?|suppliers?|manufacturers?|owners?|"
    r"supervisors?|leads?|facilities|engineering|employees?|contractors?|inspectors?|auditors?|maintainers?|members?|reviewers?|authors?|attackers?|colleagues?)$",
    re.IGNORECASE,
)
_BY = re.compile(
    r"^by (?P<agent>(?:the |a |an )?[\w()/#-]+(?: (?!on\b|in\b|at\b|for\b|when\b|to\b|with\b|from\b|and\b|into\b|as\b|"
    r"before\b|after\b|during\b|using\b)[\w()/#-]+){0,4})(?P<more>.*)$"
)
# A second verb that went with the old subject, and would go with the wrong one in the question.
_AGREES = re.compile(r"\b(?:and|or|but)\s+(?:is|are|was|were|must|can|may|has|have)\b")
_MEASURED = re.compile(r"^(?P<answer>\S+ [\w°%/]+) (?P<how>wide|long|high|deep|thick|old|tall|large)\b")
_OBJECT = re.compile(r"^(?!each\b|every\b)(?:an?|the|all|[A-Z]|[a-z]+ )")
_WEAK_OBJECTS = frozenset(
    """
    remain stay appear act look serve keep address regard concern feature face
    allow enable require cause let help make take give get want need have become seem include mean force
    permit say know see show ensure consist depend refer relate lead come go look try start begin continue
    work mean go offer
    """.split()  # noqa: SIM905
)
_PARTICLE = re.compile(
    r"^(?:in|on|at|by|for|with|from|into|of|over|under|through|up|down|out|off|about|after|before|only|between|within|"
    r"without|via|like|per|during|any|some|several|both|either|neither|not|plenty|other|more|different|first|itself|[\w-]+ing|[\w-]+ly)\b",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"(?:ly|\b(?:for|of|to|by|with|in|on|at|from|as|and|or|into|a|an|the))$", re.IGNORECASE)
_ENDLESS = re.compile(
    r"\b(?:that|which|if|when|so|it|they|its|their|this|these|to|and|or|as|but|than|whether|how|is|are|was|will|can|must|be|has|using|you|your)\b",
    re.I,
)


_FINITE = re.compile(r"\b(?:is|are|was|were|and|or|but|if|when)\b")
_LIMIT = re.compile(
    rf"^The (?P<name>(?:(?:maximum|minimum|default|total|recommended|typical|average|allowed) [^,;:.]{{8,110}}?|"
    rf"[^,;:.]{{4,60}}? (?:limit|timeout|capacity|rate|size|frequency|voltage)(?: (?:for|of) [^,;:.]{{3,60}}?)?)) is "
    rf"(?P<answer>{_BOUND}[-+±]?{_NUMBER}(?: ?[A-Za-z°Ω%µ/]+){{0,2}})\.?$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its answer in the sentence's words; ``merit`` in [0, 1] says how good a test it makes."""

    question: str
    answer: str
    merit: float


def ask_about(clause: PlainClause) -> Iterator[Asked]:
    """Make the questions that a clause answers, each asking for one part of it."""
    lacks = 0.0 if is_telling(clause.subject) else 0.35
    # "The agent" is known to who asks for a figure of it; a question as open as "What does the agent do?" needs more.
    vague = is_vague(clause.subject)
    bare = bool(re.fullmatch(r"(?:the|a|an) [a-z]+", clause.subject))
    for asked in (*_quantities(clause), *_circumstances(clause), *_people(clause), *_copula(clause), *_objects(clause)):
        less = (
            1.0
            if vague
            else max(lacks, 0.35)
            if bare and asked.merit < 0.9 and not asked.question.startswith("What is")
            else lacks
        )
        yield Asked(question=asked.question, answer=asked.answer, merit=asked.merit - less)


def ask_for_limit(sentence: str) -> Iterator[Asked]:
    """Ask for a limit whose name says what it limits ("The maximum number of items in a table is 100")."""
    match = _LIMIT.match(" ".join(sentence.split()))
    # "The default timeout" is that of what was spoken of before; a name needs more.
    if match and len(match.group("name").split()) >= 3 and not _FINITE.search(match.group("name")):
        yield Asked(question=f"What is the {match.group('name')}?", answer=match.group("answer"), merit=1.0)


def _put(opening: str, clause: PlainClause, rest: str) -> str:
    words = f"{opening} {clause.helper} {clause.subject} {clause.verb} {rest}"
    return " ".join(words.split()).rstrip(" ,;.:") + "?"


def _without(rest: str, match: "re.Match[str]") -> str:
    return " ".join((rest[: match.start()] + " " + rest[match.end() :]).split())


def _quantities(clause: PlainClause) -> Iterator[Asked]:
    if clause.base == "be" and not clause.passive:
        return
    rest = clause.rest
    for pattern, opening in ((_TIMES, "How many times"), (_EVERY, "How often"), (_WITHIN, "Within what time"),
                             (_FOR, "For how long")):  # fmt: skip
        match = pattern.search(rest)
        if match:
            yield Asked(question=_put(opening, clause, _without(rest, match)), answer=match.group("answer"), merit=1.0)
    at = _AT.search(rest)
    if at and clause.passive:
        opening = f"At what {_AT_WHAT.get(at.group('unit'), 'value')}"
        yield Asked(question=_put(opening, clause, _without(rest, at)), answer=at.group("answer"), merit=0.95)
    count = _COUNT.match(rest)
    if count and not clause.passive and not _PLURAL_STOP.search(count.group("thing")):
        things = count.group("thing") + count.group("of")
        if re.fullmatch(_PERIOD, count.group("thing")) and clause.base in {"take", "last", "wait"}:
            answer = f"{count.group('answer')} {count.group('thing')}"
            yield Asked(question=_put("How long", clause, rest[count.end("thing") :]), answer=answer, merit=1.0)
        else:
            opening = f"How many {things}"
            yield Asked(question=_put(opening, clause, rest[count.end() :]), answer=count.group("answer"), merit=1.0)
    yield from _measures(clause)


def _measures(clause: PlainClause) -> Iterator[Asked]:
    """Ask for the object of a verb that is a quantity: "draws 5 mA", "takes up to 700 µs"."""
    match = re.match(rf"^(?P<answer>{_BOUND}{_NUMBER} ?[\w°Ω%µ/]+)(?P<more>.*)$", clause.rest)
    found = find_quantities(match.group("answer")) if match else ()
    if match is None or clause.passive or not found or not found[-1].unit:
        return
    if has_dimension(found[-1], "time") and clause.base in {"take", "last", "wait", "need"}:
        yield Asked(question=_put("How long", clause, match.group("more")), answer=match.group("answer"), merit=1.0)
        return
    for dimension in ("voltage", "current", "power", "frequency", "temperature"):
        if has_dimension(found[-1], dimension):
            opening = f"How much {dimension}" if dimension in {"current", "power"} else f"What {dimension}"
            yield Asked(question=_put(opening, clause, match.group("more")), answer=match.group("answer"), merit=0.95)


def _circumstances(clause: PlainClause) -> Iterator[Asked]:
    if clause.base == "be" and not clause.passive:
        return
    when = _WHEN.search(clause.rest)
    if when:
        yield Asked(question=_put("When", clause, _without(clause.rest, when)), answer=when.group("answer"), merit=0.95)
    where = _WHERE.match(clause.rest)
    placed = (clause.passive and clause.base in _PLACED) or (not clause.passive and clause.base in _STAYS)
    if where and placed and not when and not _ENDLESS.search(where.group("answer")):
        yield Asked(question=_put("Where", clause, ""), answer=where.group("answer"), merit=0.8)
    if clause.passive and clause.verb == "used" and re.match(r"to [a-z]+ ", clause.rest) and clause.whole:
        yield Asked(question=_put("What", clause, "for"), answer=clause.rest, merit=0.75)


def _people(clause: PlainClause) -> Iterator[Asked]:
    by = _BY.match(clause.rest)
    if clause.passive and by:
        agent = by.group("agent")
        words = agent.split()
        if not _is_agent(words):
            return
        active = _active(clause)
        if active and not _AGREES.search(by.group("more")):
            who = "Who" if _is_somebody(agent) or _is_person(agent, clause.base) else "What"
            question = f"{who} {active} {clause.subject}{by.group('more')}?"
            yield Asked(question=question, answer=agent, merit=0.85 if who == "Who" else 0.7)
        return
    people = not clause.passive and clause.base != "be" and _is_somebody(clause.first)
    # Of several people's several verbs only the first would be put into the singular.
    several = clause.helper == "do" and re.search(r"\b(?:and|or)\b", clause.rest)
    if people and clause.whole and not several and len(clause.rest.split()) >= 2:
        finite = third_person(clause.base) if clause.helper == "do" else clause.finite
        yield Asked(question=f"Who {finite} {clause.rest}?", answer=clause.first, merit=0.75)


def _is_agent(words: list[str]) -> bool:
    """Say whether what stands behind "by" did it: not a way of doing it ("by using"), a count or a figure of speech."""
    named = words[1:] if fold(words[0]) in {"the", "a", "an"} else words
    if not named or fold(named[0]) in _COUNTED | _NO_AGENTS or named[0][0].isdigit():
        return False
    return not is_gerund(named[0]) and not named[-1].endswith("ly")


def _is_somebody(name: str) -> bool:
    """Say whether a noun phrase is people: "the platform team", not the product "AWS Secrets Manager"."""
    words = name.split()
    return bool(_PEOPLE.search(name)) and (words[-1].islower() or fold(words[0]) in {"the", "a", "an"})


def _is_person(name: str, base: str) -> bool:
    """Say whether a name is a person's: two or three words in capitals that did what only people do."""
    return base in _HUMAN and bool(re.fullmatch(r"[A-Z][a-z’'-]+(?: [A-Z][A-Za-z.’'-]*){1,2}", name))


def _active(clause: PlainClause) -> str:
    """Return the verb of a passive clause as it stands behind "who": "resizes", "must sign"; "" where unsure."""
    participle = clause.verb.split()[-1]
    adverbs = clause.verb.split()[:-1]
    if adverbs and adverbs != ["be"]:
        return ""
    if not base_form(participle):
        return ""
    if clause.helper in {"is", "are"}:
        return third_person(clause.base)
    if clause.helper in {"was", "were"}:
        return participle if participle.endswith("ed") and is_past(participle) else ""
    return f"{clause.helper} {clause.base}"


def _copula(clause: PlainClause) -> Iterator[Asked]:
    if clause.base != "be" or clause.passive or clause.verb or clause.helper not in {"is", "are", "was", "were"}:
        return
    rest = clause.rest
    if rest.startswith("one "):
        return
    measured = _MEASURED.match(rest)
    if measured and re.match(_NUMBER, rest):
        how = f"How {measured.group('how')}"
        yield Asked(question=f"{how} {clause.helper} {clause.subject}?", answer=measured.group("answer"), merit=1.0)
        return
    value = re.match(rf"^(?P<answer>{_BOUND}[-+±]?{_NUMBER}(?: ?[\w°Ω%µ/]+)?)(?P<more>.*)$", rest)
    if value and clause.helper in {"is", "was"}:
        answer = (value.group("answer") + value.group("more")).strip() if len(rest.split()) <= 6 else ""
        if not _ENDLESS.search(rest) and answer:
            yield Asked(question=f"What {clause.helper} {clause.subject}?", answer=answer, merit=1.0)
        return
    definition = re.match(r"^(?:an?|the) [a-z][\w-]* .*$", rest) and len(rest.split()) >= 4
    if definition and len(clause.subject.split()) <= 5 and clause.whole and len(rest.split()) <= 26:
        merit = 0.7 if is_telling(clause.subject) and not clause.first.startswith("The ") else 0.4
        yield Asked(question=f"What {clause.helper} {clause.subject}?", answer=rest, merit=merit)


def _objects(clause: PlainClause) -> Iterator[Asked]:
    """Ask for the object of a verb that takes one: "The pin WP# controls write protection"."""
    if clause.passive or clause.base in _WEAK_OBJECTS or clause.base == "be" or not clause.whole:
        return
    words = clause.rest.split()
    if (
        not 2 <= len(words) <= 10
        or not _OBJECT.match(clause.rest)
        or _ENDLESS.search(clause.rest)
        or _OPEN_END.search(clause.rest)
    ):
        return
    if _PARTICLE.match(clause.rest) is None:
        yield Asked(question=_put("What", clause, ""), answer=clause.rest, merit=0.5)
