"""A made dictionary of any size, and questions to it: with terms it has, misspelt ones, unknown ones and none."""

import csv
import random
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from contracts.errors import InvalidInput
from contracts.jargon import Context, Sense
from jargon_db.folding import fold
from jargon_db.importing import import_files
from jargon_db.store import JargonStore

# The importer takes files of up to 100 000 rows and 20 MB.
_ROWS_A_FILE = 25_000

CONTEXTS = (
    Context(name="Production", description="Lines, machines, shifts and yield of the plant."),
    Context(name="Electronics", description="Circuits, boards, voltages and their timing."),
    Context(name="Software", description="Programs, services, builds and their interfaces."),
    Context(name="Finance", description="Budgets, invoices, ledgers and audits."),
    Context(name="Logistics", description="Warehouses, shipments, carriers and customs."),
    Context(name="Quality", description="Inspections, defects, norms and complaints."),
    Context(name="Personnel", description="Contracts, leave, training and pay."),
    Context(name="Research", description="Experiments, materials, patents and publications."),
)

# Shares of the kinds of terms, of terms with an alias, and of terms with two or three senses.
_KINDS = {"abbreviation": 0.55, "phrase": 0.25, "code": 0.20}
_WITH_ALIAS = 0.2
_AMBIGUOUS = 0.1
_LETTERS = {3: 0.3, 4: 0.45, 5: 0.2, 6: 0.05}
# From this rank on, English words are specific enough to be parts of a term.
_COMMON_WORDS = 1_500
_WORDS = 20_000


def make_senses(terms: int, *, seed: int) -> tuple[Sense, ...]:
    """Make senses of ``terms`` different terms; a larger dictionary of the same seed begins with the smaller one.

    No two spellings (terms and aliases) are the same in any letter case, and no abbreviation is an ordinary word.

    Raises:
        InvalidInput: ``terms`` is below 1.
    """
    if terms < 1:
        raise InvalidInput(f"a dictionary of {terms} terms cannot be made: ask for one at least", field="terms")
    maker = _Maker(random.Random(seed))
    return tuple(sense for _ in range(terms) for sense in maker.next_term())


def import_dictionary(store: JargonStore, senses: Sequence[Sense], folder: Path) -> int:
    """Import ``senses`` and their contexts into ``store`` as a manager does, from CSV files made in ``folder``.

    Returns how many senses were added.
    """
    places = folder / "contexts.csv"
    rows = [(each.name, each.description, " | ".join(each.examples)) for each in CONTEXTS]
    _write(places, ("name", "description", "examples"), rows)
    import_files(store, None, places)
    added = 0
    for number, start in enumerate(range(0, len(senses), _ROWS_A_FILE), start=1):
        path = folder / f"terms-{number}.csv"
        heads = ("term", "aliases", "context", "extended_name", "description")
        some = senses[start : start + _ROWS_A_FILE]
        _write(path, heads, [(s.term, ";".join(s.aliases), s.context, s.extended_name, s.description) for s in some])
        report = import_files(store, path).terms
        added += report.added if report is not None else 0
    return added


def _write(path: Path, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)


class _Maker:
    """Draws one term after the other; what was drawn once is not drawn again."""

    def __init__(self, chance: random.Random) -> None:
        from wordfreq import top_n_list

        from golden_lab.benchmarks.abbreviations import english_first_letters

        self._chance = chance
        words = [word for word in top_n_list("en", _WORDS) if word.isascii() and word.isalpha() and len(word) > 3]
        self._words = words[_COMMON_WORDS:]
        self._by_letter: dict[str, list[str]] = {}
        for word in words:
            self._by_letter.setdefault(word[0], []).append(word)
        self._letters = english_first_letters()
        self._taken = {fold(word) for word in top_n_list("en", _WORDS)}

    def next_term(self) -> Iterator[Sense]:
        """Yield the senses of a new term."""
        chance = self._chance
        kind = chance.choices(list(_KINDS), weights=list(_KINDS.values()))[0]
        draw = {"abbreviation": self._abbreviation, "phrase": self._phrase, "code": self._code}[kind]
        term = self._new(draw)
        alias = (self._new(self._code if kind == "abbreviation" else self._abbreviation),)
        aliases = alias if chance.random() < _WITH_ALIAS else ()
        count = chance.choice((2, 3)) if chance.random() < _AMBIGUOUS else 1
        places = chance.sample(CONTEXTS, count)
        for place in places:
            context = place.name if count > 1 or chance.random() < 0.5 else ""
            yield Sense(
                id=0,
                term=term,
                extended_name=self._extended(term),
                context=context,
                description=f"Names the {self._word()} that a {self._word()} has before its {self._word()}.",
                aliases=aliases,
            )

    def _new(self, draw: Callable[[], str]) -> str:
        while fold(spelling := draw()) in self._taken:
            pass
        self._taken.add(fold(spelling))
        return spelling

    def _abbreviation(self) -> str:
        size = self._chance.choices(list(_LETTERS), weights=list(_LETTERS.values()))[0]
        return "".join(self._chance.choices(string.ascii_uppercase, weights=self._letters, k=size))

    def _phrase(self) -> str:
        words = [self._word() for _ in range(self._chance.choice((2, 2, 3)))]
        return f"{words[0]}-{' '.join(words[1:])}" if self._chance.random() < 0.15 else " ".join(words)

    def _code(self) -> str:
        short = self._abbreviation()
        shape = self._chance.randrange(5)
        if shape == 0:
            return f"{self._chance.choice('tviw')}{short}"
        if shape == 1:
            return f"{short}{self._chance.randrange(2, 100)}"
        if shape == 2:
            return f"{self._word()}_{self._word()}"
        if shape == 3:
            return f"{self._word().title()}{self._word().title()}"
        return f"{short}-{self._chance.randrange(1, 1_000)}"

    def _word(self) -> str:
        return self._chance.choice(self._words)

    def _extended(self, term: str) -> str:
        letters = [character for character in term.lower() if character in self._by_letter][:6]
        return " ".join(self._chance.choice(self._by_letter[letter]).title() for letter in letters)


QuestionKind = Literal["known", "misspelt", "unknown", "none"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

_TEMPLATES = (
    "What does {0} stand for?",
    "Who is responsible for {0} when the second shift is over?",
    "Why does the {0} of the new board drop as soon as we switch {1} on?",
    "How do I set {0} so that {1} stays below the limit during a test?",
    "Is {0} the same as {1}, or do the two only look alike in the report?",
    "Which value should {0} have before we begin with {1}?",
)
_PLAIN = (
    "How long may the test take before we have to stop the machine and call somebody?",
    "Who signs the report when the head of the group is not in the house?",
    "Which of the two parts should be changed first, and why does the order matter?",
    "What happens to my request when nobody answers it within three days?",
    "Where do I find the rules for guests who stay longer than a week?",
    "Can we use the small room on the second floor for the meeting next month?",
)


# A dictionary may leave no misspelling that is clear; after so many tries the last one is taken.
_TRIES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedQuestion:
    """A question of a kind. ``wanted`` are the dictionary's terms meant, or the unknown ones as they are written."""

    kind: QuestionKind
    text: str
    wanted: tuple[str, ...]


def make_questions(
    known: Sequence[Sense], all_senses: Sequence[Sense], *, count: int, seed: int
) -> tuple[SpeedQuestion, ...]:
    """Make ``count`` questions, the kinds in turn, about terms of ``known``; unknown terms are not in ``all_senses``.

    Raises:
        InvalidInput: ``count`` is below 4, one of each kind; or no term of ``known`` can be misspelt.
    """
    if count < len(KINDS):
        raise InvalidInput(f"{count} questions are too few: {len(KINDS)} kinds need one each", field="questions")
    chance = random.Random(seed)
    terms = list(dict.fromkeys(sense.term for sense in known))
    long = [term for term in terms if term.isalpha() and len(term) > 3 and len(set(fold(term[1:]))) > 1]
    if not long:
        raise InvalidInput("no term is long enough to be misspelt: make a larger dictionary", field="terms")
    taken = {fold(spelling) for sense in all_senses for spelling in (sense.term, *sense.aliases)}
    questions = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        template = (_PLAIN if kind == "none" else _TEMPLATES)[number // len(KINDS) % len(_TEMPLATES)]
        slots = 0 if kind == "none" else 2 if "{1}" in template else 1
        if kind == "unknown":
            wanted = written = tuple(_unknown(chance, taken) for _ in range(slots))
        elif kind == "misspelt":
            pairs = tuple(_misspelt(long, taken, chance) for _ in range(slots))
            wanted, written = tuple(term for term, _ in pairs), tuple(typed for _, typed in pairs)
        else:
            wanted = written = tuple(chance.choice(terms) for _ in range(slots))
        questions.append(SpeedQuestion(kind=kind, text=template.format(*written), wanted=wanted))
    return tuple(questions)


def misspell(term: str, chance: random.Random) -> str:
    """Return ``term`` with two different letters behind the first one in the wrong order.

    Raises:
        InvalidInput: all letters behind the first one are the same.
    """
    places = [at for at in range(1, len(term) - 1) if fold(term[at]) != fold(term[at + 1])]
    if not places:
        raise InvalidInput(f"{term!r} has no two letters to change places", field="term")
    return _exchanged(term, chance.choice(places))


def _misspelt(terms: Sequence[str], taken: set[str], chance: random.Random) -> tuple[str, str]:
    """Draw a term with a misspelling that leads to no other spelling in ``taken`` by the same kind of error.

    Where another term is as near, nobody could say which one is meant.
    """
    for _ in range(_TRIES):
        term = chance.choice(terms)
        typed = misspell(term, chance)
        others = {fold(typed), *(fold(_exchanged(typed, at)) for at in range(1, len(typed) - 1))} - {fold(term)}
        if not others & taken:
            break
    return term, typed


def _exchanged(text: str, at: int) -> str:
    return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"


def _unknown(chance: random.Random, taken: set[str]) -> str:
    while fold(drawn := "".join(chance.choices(string.ascii_uppercase, k=5))) in taken:
        pass
    return drawn
