"""How far a typed word is from a term: edits weighted by how fingers and eyes err."""

from functools import lru_cache

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_SLIP = 0.6  # two keys in the wrong order, the wrong one of two letters doubled
_MISHIT = 0.8  # a neighbouring key: in four letters it makes another abbreviation as easily
_DOUBLED = 0.5  # a letter typed twice, or once where it belongs twice
_EDIT = 1.0
_FIRST_LETTER = 0.15  # more where the first letter is concerned
_OTHER_FIRST = 0.4  # and more where it is none of the first two
_KEYS_AROUND = 5  # of each key, itself exchanged with the next one counted
FAR = 99.0


@lru_cache(maxsize=1)
def _neighbours() -> frozenset[tuple[str, str]]:
    places = {key: (row, column + row * 0.4) for row, keys in enumerate(_ROWS) for column, key in enumerate(keys)}
    return frozenset(
        (a, b)
        for a, (row_a, column_a) in places.items()
        for b, (row_b, column_b) in places.items()
        if a != b and abs(row_a - row_b) <= 1 and abs(column_a - column_b) <= 1.0
    )


def allowed_cost(length: int) -> float:
    """Say how much may be wrong in a word of ``length`` characters: none up to 3, a slip at 4, three edits from 15."""
    if length <= 3:
        return 0.0
    if length == 4:
        return _SLIP + _FIRST_LETTER
    if length <= 6:
        return _EDIT
    if length <= 8:
        return 1.2
    return 2.0 if length <= 14 else 2.8


def allowed_edits(length: int) -> int:
    """Say how many characters may be wrong at all in a word of ``length``, whatever each of them costs."""
    if length < 8:
        return 1
    return 2 if length <= 14 else 3


def typing_errors(typed: int, term: int, cost: float, alphabet: float) -> float:
    """Return about how many words of length ``term`` one of length ``typed`` comes from by errors of up to ``cost``.

    ``alphabet`` is how many letters there are to choose from. 0 for two letters in the wrong order: no count speaks
    against that.
    """
    if cost <= _SLIP + _FIRST_LETTER:
        return 0.0 if typed == term else 1.0 if term < typed else float(typed)
    if term > typed:
        one = alphabet * (typed + 1)
    elif term < typed:
        one = float(typed)
    else:
        one = _KEYS_AROUND * typed if cost <= _MISHIT else alphabet * typed
    return one * float((alphabet * typed) ** max(0, round(cost) - 1))


def least_change(length: int) -> tuple[float, float]:
    """Return the least cost of another letter in a word of ``length``, and how many words come by such a change."""
    return _MISHIT, _KEYS_AROUND * float(length)


def first_letter_cost(typed: str, term: str) -> float:
    """Return what the cost grows by where folded ``typed`` and ``term`` begin differently.

    Source: Yannakoudakis and Fawthrop 1983, "The rules of spelling errors": few errors are in the first letter; and of
    a short abbreviation another first letter makes another one.
    """
    if typed[0] == term[0]:
        return 0.0
    return _OTHER_FIRST if {term[0], typed[0]} - set(term[:2]) else _FIRST_LETTER


def _lone(text: str, index: int, other: str) -> float:
    """Return the cost of the character at ``index`` of ``text`` that ``other`` does not have."""
    character = text[index]
    if character.isdigit() or character in "#*":
        return FAR
    doubled = (index and text[index - 1] == character) or (index + 1 < len(text) and text[index + 1] == character)
    return _DOUBLED if doubled and character in other else _EDIT


def _substituted(typed: str, i: int, term: str, j: int) -> float:
    a, b = typed[i], term[j]
    if a == b:
        return 0.0
    if not (a.isalpha() and b.isalpha()):
        return FAR
    # VCQQ for VCCQ: both have a double letter, of the wrong one.
    if i and j + 1 < len(term) and i + 1 < len(typed) and typed[i + 1] == a == term[j + 1] and term[j - 1] == b:
        return _SLIP
    if i and j + 1 < len(term) and typed[i - 1] == a == term[j - 1] and term[j + 1] == b:
        return _SLIP
    return _MISHIT if (a, b) in _neighbours() else _EDIT


def typing_cost(typed: str, term: str) -> float:
    """Return the least cost of turning folded ``typed`` into folded ``term``: weighted optimal string alignment.

    0 for equal words, ``FAR`` or more where a digit or sign would have to change: DDR3 is no misspelt DDR4.
    """
    previous2: list[float] = []
    previous = [0.0]
    for j in range(len(term)):
        previous.append(previous[j] + _lone(term, j, typed))
    for i, a in enumerate(typed):
        current = [previous[0] + _lone(typed, i, term)]
        for j, b in enumerate(term):
            best = min(
                previous[j] + _substituted(typed, i, term, j),
                previous[j + 1] + _lone(typed, i, term),
                current[j] + _lone(term, j, typed),
            )
            if i and j and a == term[j - 1] and b == typed[i - 1] and a != b and a.isalpha() and b.isalpha():
                best = min(best, previous2[j - 1] + _SLIP)
            current.append(best)
        previous2, previous = previous, current
    return previous[-1]
