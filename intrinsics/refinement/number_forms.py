"""The forms in which one number is written."""

_UNITS = """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen
    """.split()  # noqa: SIM905

_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: str(value) for value, word in enumerate(_UNITS)} | {
    word: str(20 + 10 * n) for n, word in enumerate(_TENS)
}
_ORDINALS = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
    "eighth": "8", "ninth": "9", "tenth": "10",
}  # fmt: skip


def number_forms(word: str) -> frozenset[str]:
    """Return ``word`` (folded) with the digits of the number that it is: "two" and "2", "1.50" and "1.5"."""
    forms = {word}
    value = _WORDS.get(word) or _ORDINALS.get(word) or _digits(word)
    if value:
        forms.add(value)
    return frozenset(forms)


def _digits(word: str) -> str:
    plain = word
    for ending in ("st", "nd", "rd", "th"):
        if word.endswith(ending) and word[:-2].isascii() and word[:-2].isdigit():
            plain = word[:-2]
    if "." in plain and plain.replace(".", "", 1).isdigit():
        plain = plain.rstrip("0").rstrip(".")
    return plain if plain[:1].isdigit() else ""
