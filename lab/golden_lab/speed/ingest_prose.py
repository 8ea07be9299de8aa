"""Made prose: words as frequent as in English, in sentences, headings, lists and tables, drawn by seed."""

import random
from dataclasses import dataclass
from typing import Literal

from wordfreq import top_n_list

ElementKind = Literal["heading", "paragraph", "list", "table", "code"]

_WORDS = 8_000
# From this rank on, words are specific enough to be parts of a name.
_COMMON_WORDS = 1_000
# Zipf's law: the chance of a word falls with its rank; the offset flattens the head.
_ZIPF_OFFSET = 3.0
# Shares of what stands between headings. About one page in three gets a ruled table.
_SHARES: dict[ElementKind, float] = {"paragraph": 0.76, "list": 0.12, "table": 0.08, "code": 0.04}


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A part of a made document; ``lines`` are its items, rows or lines of code, or its one text. Cells of a row are
    parted by tabs.
    """

    kind: ElementKind
    lines: tuple[str, ...]


class ProseMaker:
    """Draws the elements of one document; equal seeds draw equal ones."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._words = [word for word in top_n_list("en", _WORDS) if word.isalpha() and word.isascii() and len(word) > 1]
        self._weights = [1.0 / (rank + _ZIPF_OFFSET) for rank in range(len(self._words))]
        self._chapter = 0

    def title(self) -> str:
        """Draw a title."""
        return self._name(4)

    def next_elements(self) -> list[Element]:
        """Draw a section: its heading, and three to eight elements below it."""
        self._chapter += 1
        found = [Element(kind="heading", lines=(f"{self._chapter} {self._name(3)}",))]
        for _ in range(self._draw.randint(3, 8)):
            kind = self._draw.choices(list(_SHARES), list(_SHARES.values()))[0]
            found.append(self._element(kind))
        return found

    def _element(self, kind: ElementKind) -> Element:
        if kind == "list":
            return Element(kind=kind, lines=tuple(self._sentence(4, 16) for _ in range(self._draw.randint(3, 7))))
        if kind == "table":
            columns = self._draw.randint(3, 6)
            rows = ["\t".join(self._name(1) for _ in range(columns))]
            for _ in range(self._draw.randint(4, 12)):
                rows.append("\t".join([self._name(1), *(self._value() for _ in range(columns - 1))]))
            return Element(kind=kind, lines=tuple(rows))
        if kind == "code":
            names = (f"{self._word()}_{self._word()}" for _ in range(self._draw.randint(3, 8)))
            return Element(kind=kind, lines=tuple(f"{name} = {self._draw.randint(0, 4096)}" for name in names))
        # Lengths as in manuals: most paragraphs short, a few long.
        count = min(12, 1 + round(self._draw.expovariate(0.3)))
        return Element(kind=kind, lines=(" ".join(self._sentence(6, 28) for _ in range(count)),))

    def _sentence(self, least: int, most: int) -> str:
        words = self._draw.choices(self._words, self._weights, k=self._draw.randint(least, most))
        if len(words) > 12 and self._draw.random() < 0.1:
            name = self._name(3)
            words[6:6] = [name, f"({''.join(part[0] for part in name.split())})"]
        elif len(words) > 10:
            words[len(words) // 2] += ","
        text = " ".join(words)
        return text[0].upper() + text[1:] + "."

    def _name(self, words: int) -> str:
        return " ".join(self._word().capitalize() for _ in range(words))

    def _word(self) -> str:
        return self._words[self._draw.randrange(_COMMON_WORDS, len(self._words))]

    def _value(self) -> str:
        if self._draw.random() < 0.3:
            return self._word()
        return f"{self._draw.uniform(0, 500):.{self._draw.randint(0, 2)}f} {self._draw.choice(['ms', 'MB', 'V', '%'])}"
