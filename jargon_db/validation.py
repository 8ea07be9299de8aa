"""Validates senses and contexts before they are stored."""

from contracts.errors import InvalidInput
from contracts.jargon import Context, Sense
from jargon_db.normalization import fold, is_visible, legible, one_line

# In characters; the limit also applies to the folded form, because PostgreSQL cannot index longer keys.
MAX_TERM_CHARACTERS = 200
MAX_NAME_CHARACTERS = 400
MAX_TEXT_CHARACTERS = 10_000
MAX_ALIASES = 50

_STATES = ("draft", "published", "rejected")


def normalized(sense: Sense) -> Sense:
    """Return ``sense`` with normalised white space and without duplicate aliases."""
    distinct = {fold(alias): one_line(alias) for alias in reversed(sense.aliases) if is_visible(alias)}
    return Sense.model_construct(
        id=sense.id,
        term=one_line(sense.term),
        extended_name=one_line(sense.extended_name),
        context=one_line(sense.context) if is_visible(sense.context) else "",
        description=legible(sense.description).strip(),
        notes=legible(sense.notes).strip(),
        source=legible(sense.source).strip(),
        aliases=tuple(reversed(distinct.values())),
        # ``problems_of`` checks the state.
        state=sense.state,
    )


def problems_of(sense: Sense) -> list[tuple[str, str]]:
    """Return the problems of a normalised ``sense``, as pairs of a field and a sentence."""
    problems = [
        *_length("term", sense.term, MAX_TERM_CHARACTERS, required=True),
        *_length("extended_name", sense.extended_name, MAX_NAME_CHARACTERS, required=True),
        *_length("context", sense.context, MAX_TERM_CHARACTERS),
        *_length("description", sense.description, MAX_TEXT_CHARACTERS),
        *_length("notes", sense.notes, MAX_TEXT_CHARACTERS),
        *_length("source", sense.source, MAX_TEXT_CHARACTERS),
    ]
    for alias in sense.aliases:
        problems += _length("aliases", alias, MAX_TERM_CHARACTERS)
        # A different letter case (VccQ for VCCQ) is a useful alias.
        if alias == sense.term:
            problems.append(("aliases", f"{alias!r} is an alias of itself."))
    if len(sense.aliases) > MAX_ALIASES:
        problems.append(("aliases", f"There are {len(sense.aliases)} aliases; at most {MAX_ALIASES} are allowed."))
    if sense.state not in _STATES:
        problems.append(("state", f"The state is {sense.state!r}; it can be {', '.join(_STATES)}."))
    return problems


def checked(sense: Sense) -> Sense:
    """Return ``sense`` normalised. Raises ``InvalidInput`` if it is invalid; the message names all invalid fields."""
    tidy = normalized(sense)
    _raise_if(problems_of(tidy))
    return tidy


def checked_context(context: Context) -> Context:
    """Return ``context`` with normalised white space and without empty examples.

    Raises:
        InvalidInput: the name is empty, or a field is too long.
    """
    tidy = normalized_context(context)
    _raise_if(context_problems(tidy))
    return tidy


def normalized_context(context: Context) -> Context:
    """Return ``context`` with normalised white space and without empty examples."""
    examples = (legible(example).strip() for example in context.examples)
    return Context(
        name=one_line(context.name),
        description=legible(context.description).strip(),
        examples=tuple(example for example in examples if example),
    )


def context_problems(context: Context) -> list[tuple[str, str]]:
    """Return the problems of a normalised ``context``, as pairs of a field and a sentence."""
    return [
        *_length("name", context.name, MAX_TERM_CHARACTERS, required=True),
        *_length("description", context.description, MAX_TEXT_CHARACTERS),
        *_length("examples", " | ".join(context.examples), MAX_TEXT_CHARACTERS),
    ]


def _raise_if(problems: list[tuple[str, str]]) -> None:
    if problems:
        raise InvalidInput(" ".join(text for _, text in problems), field=problems[0][0])


def _length(field: str, text: str, limit: int, *, required: bool = False) -> list[tuple[str, str]]:
    if required and not is_visible(text):
        return [(field, f"The {field} is empty.")]
    length = max(len(text), len(fold(text)))
    if length > limit:
        return [(field, f"The {field} has {length} characters; at most {limit} are allowed.")]
    return []
