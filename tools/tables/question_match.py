"""Finds the parts of a table that a question names: columns and rows by words, cells by conditions on values."""

import math
import re
from collections.abc import Sequence
from functools import cached_property

from tools.language import fold, stem
from tools.tables.question_words import ADJECTIVES, Adjective, Condition, TableQuestion, stems_of
from tools.tables.table import Table, is_unit_header
from tools.tables.values import NOTHING, WORDS, Value, read_value

_YES, _NO = (frozenset(WORDS["words"][name].split()) for name in ("yes", "no"))
_DIMENSION_WORDS = {
    dimension: frozenset(map(stem, words.split())) for dimension, words in WORDS["dimension_words"].items()
}
_UNIT_IN_HEADER = re.compile(r"[(\[](?P<unit>[^()\[\]]{1,12})[)\]]\s*$")
_JOINS = re.compile(r"\b(?:and|or|vs|versus|between|than|both)\b|,", re.IGNORECASE)
NEGATIVE = re.compile(r"\b(?:not|no|never|without|only)\b|n['’]t\b", re.IGNORECASE)
# Words with a lower weight provide hardly any information.
SLIGHT = 0.1


class QuestionMatch:
    """The match of a question's words and conditions with a table.

    If ``headers_first`` is true, a word that names a column is not also a value. ``claimed`` are the indexes of the
    question's words that the table has accounted for so far; ``conditioned`` are the columns that select rows.
    """

    def __init__(self, asked: TableQuestion, table: Table, *, headers_first: bool) -> None:
        self.asked, self.table, self.headers_first = asked, table, headers_first
        self.claimed: set[int] = set()
        self.conditioned: set[int] = set()
        self.headers = [stems_of(_UNIT_IN_HEADER.sub("", name)) or stems_of(name) for name in table.header]
        self.others = [column for column in range(len(table.header)) if column != table.key]

    def is_claimed(self, text: str) -> bool:
        return any(fold(self.asked.words[index].text) == text for index in self.claimed)

    def claim(self, stems: frozenset[str]) -> None:
        self.claimed |= {n for n, word in enumerate(self.asked.words) if word.weight and word.stands_in(stems)}

    @cached_property
    def asked_stems(self) -> frozenset[str]:
        return frozenset().union(*(word.stems for word in self.asked.words))

    @cached_property
    def _cells(self) -> list[list[set[int]]]:
        """The question's words in each cell, by row and column; the name of a group counts for all of its rows."""
        found = []
        for row in self.table.rows:
            texts = [stems_of(cell) for cell in row.cells]
            texts[self.table.key] |= stems_of(row.group)
            letters = {n for n, word in enumerate(self.asked.words) if len(word.text) == 1}
            # A single letter can be the name of a row; in other columns, it is an initial or part of a formula.
            held = [self._held(stems) for stems in texts]
            found.append([each if column == self.table.key else each - letters for column, each in enumerate(held)])
        return found

    def _held(self, stems: frozenset[str]) -> set[int]:
        words = self.asked.words
        held = {n for n, word in enumerate(words) if word.weight and word.stands_in(stems)}
        for n in range(len(words) - 1):
            # "SHA 256" matches "SHA256".
            joined = fold(words[n].text + words[n + 1].text)
            if any(map(str.isdigit, joined)) and joined in stems:
                held |= {n, n + 1}
        return held

    def named_columns(self) -> list[int]:
        """Return the columns that the question names, without columns that are named less completely than others."""
        in_cells = set().union(*(held for row in self._cells for held in row))
        in_keys = set().union(*(row[self.table.key] for row in self._cells))
        names: dict[int, set[int]] = {}
        for column in range(len(self.headers)):
            held = self._held(self.headers[column])
            whole = held and len(held) >= len(self.headers[column])
            if column != self.table.key:
                held -= in_cells if not self.headers_first else set() if whole else in_keys
            names[column] = held
        self.key_words = names.pop(self.table.key) | self._held(stems_of(self.table.title))
        self.claimed |= self.key_words
        named = [c for c, held in names.items() if held and not any(held < other for other in names.values())]
        shares = {c: len(names[c]) / max(len(self.headers[c]), 1) for c in named}
        named = [c for c in named if not any(names[c] == names[d] and shares[d] > shares[c] for d in named)]
        self.header_words = {n for c in named for n in names[c]}
        self.claimed |= self.header_words
        return named

    def selected_rows(self, named: Sequence[int]) -> tuple[list[int] | None, bool]:
        """Return the rows with most of the question's other words, and whether all their names contain such words."""
        key = self.table.key
        free = {n for n, word in enumerate(self.asked.words) if word.weight} - self.header_words
        whole = [set().union(*row) & free for row in self._cells]
        everywhere = set.intersection(*whole) if len(whole) > 1 else set()
        if everywhere:
            self.claimed |= everywhere
        whole = [held - everywhere for held in whole]
        by_key = [row[key] & held for row, held in zip(self._cells, whole, strict=True)]
        best = [row for row, held in enumerate(whole) if held and not any(held < other for other in whole)]
        best = [r for r in best if not any(whole[r] == whole[s] and by_key[r] < by_key[s] for s in best)]
        if any(whole[r] != whole[best[0]] for r in best) and not (
            _JOINS.search(self.asked.text) and all(by_key[r] for r in best)
        ):
            weight = {r: sum(self.asked.words[n].weight for n in whole[r]) + (0.1 if by_key[r] else 0.0) for r in best}
            best = [r for r in best if weight[r] >= max(weight.values()) - 1e-9]
        if not best or all(self.asked.words[n].weight < SLIGHT for r in best for n in whole[r]):
            return None, False
        for row in best:
            self.claimed |= whole[row]
            for column in self.others:
                if self._cells[row][column] & whole[row] - by_key[row]:
                    self.conditioned.add(column)
        return best, all(by_key[row] for row in best)

    @cached_property
    def values(self) -> list[list[Value | None]]:
        """The value in each cell, by row and column, in basic units."""
        unit_column = next((n for n, name in enumerate(self.table.header) if is_unit_header(name)), None)
        in_header = [_UNIT_IN_HEADER.search(name) for name in self.table.header]
        return [
            [
                read_value(cell, match["unit"] if match else row.cells[unit_column] if unit_column is not None else "")
                for cell, match in zip(row.cells, in_header, strict=True)
            ]
            for row in self.table.rows
        ]

    def column_values(self, column: int) -> list[Value]:
        """Return the values in a column; () if most of its cells contain something else."""
        filled = [row for row, each in enumerate(self.table.rows) if fold(each.cells[column]) not in {"", *NOTHING}]
        values = [value for row in filled if (value := self.values[row][column]) is not None]
        return values if 2 * len(values) > len(filled) else []

    @cached_property
    def dimensions(self) -> list[set[str]]:
        """The dimensions of the values in each column; "money €" also counts as "money"."""
        dimensions = [{value.dimension for value in self.column_values(n)} for n in range(len(self.headers))]
        return [each | {name.split()[0] for name in each if name} for each in dimensions]

    def column_of_condition(self, condition: Condition, named: Sequence[int]) -> int | None:
        """Return the column whose values a condition is about; None if there is none, or if it is unclear."""
        value = condition.value

        def fits(column: int) -> bool:
            dimensions = self.dimensions[column]
            if value.dimension:
                return value.dimension in dimensions
            return len({each.factor for each in self.column_values(column) if each.low < math.inf}) == 1

        fitting = [column for column in range(len(self.headers)) if fits(column)]
        chosen = [column for column in fitting if column in named]
        if not chosen and not named and (value.dimension or condition.adjective):
            chosen = self.about(condition.adjective, fitting) or (fitting if value.dimension else [])
        if not chosen:
            return None
        self.claim_dimension(chosen[0])
        return chosen[0] if len(chosen) == 1 or chosen[0] in named or value.dimension else None

    def meets(self, row: int, column: int, condition: Condition) -> bool:
        """Return whether a cell has a value that meets ``condition``."""
        value = self.values[row][column]
        return value is not None and value.stands(condition.relation, condition.value)

    def about(self, adjective: Adjective | None, columns: Sequence[int]) -> list[int]:
        """Return the ``columns`` that an adjective is about, based on their names or else on their dimensions."""
        if adjective is None:
            return []
        by_name = [c for c in columns if self.headers[c] & (adjective.about | adjective.opposite)]
        return by_name or [
            column
            for column in columns
            if self.dimensions[column] & (adjective.dimensions | (adjective.opposite & {"time"}))
        ]

    def claim_dimension(self, column: int) -> None:
        """Mark words such as "price" and "time" as accounted for by a column with their dimension."""
        for dimension in self.dimensions[column]:
            self.claim(_DIMENSION_WORDS.get(dimension, frozenset()))

    def is_switch(self, column: int) -> bool:
        """Return whether a column contains mostly yes or no."""
        cells = [fold(row.cells[column]) for row in self.table.rows]
        filled = [cell for cell in cells if cell and cell not in NOTHING]
        sure = [cell for cell in filled if cell in _YES or cell in _NO]
        return bool(filled) and 2 * len(sure) > len(filled)

    def is_on(self, row: int, column: int, *, strict: bool) -> bool:
        """Return whether a cell in a yes/no column has the requested value; ``strict`` requires an explicit yes."""
        cell = fold(self.table.rows[row].cells[column])
        if self.asked.negated:
            marks = {fold(each.cells[column]) for each in self.table.rows} - {""}
            return cell in _NO or (not cell and len(marks) == 1)
        return cell in _YES or bool(cell and not strict and cell not in _NO and not NEGATIVE.match(cell))

    def column_by_kind(self, rows: Sequence[int]) -> list[int]:
        """Return the column with values of the requested kind: "how long", "how much", "when", "the price"."""
        asked = self.asked
        words = {stem(asked.how)} if asked.how not in ("", "much", "many") else set()
        words |= {each for n, word in enumerate(asked.words) if n not in self.claimed for each in word.stems}
        words |= {"price"} if asked.how == "much" else set()
        dimensions = {dimension for dimension, names in _DIMENSION_WORDS.items() if names & words}
        found = [column for column in self.others if self.dimensions[column] & dimensions]
        if len(found) != 1:
            found = self.about(ADJECTIVES.get(asked.how), self.others)[:1] if not found else []
        if found:
            self.claim_dimension(found[0])
            self.claimed |= {n for n, word in enumerate(asked.words) if fold(word.text) == asked.how}
        return found
