"""Questions that a table answers by itself: cells, rows that meet a condition, counts, extremes, comparisons, lists."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from tools.language import content_stems, fold, stem
from tools.tables.question_words import (
    ADJECTIVES,
    Adjective,
    Condition,
    TableQuestion,
    compares_by,
    read_question,
    stems_of,
)
from tools.tables.records import is_generic_header, is_unit_header
from tools.tables.table import Operation, Table, TableAnswer
from tools.tables.values import WORDS, Value, end_of, read_value

_YES, _NO, _NOTHING = (frozenset(WORDS["words"][name].split()) for name in ("yes", "no", "nothing"))
_DIMENSION_WORDS = {
    dimension: frozenset(map(stem, words.split())) for dimension, words in WORDS["dimension_words"].items()
}
_UNIT_IN_HEADER = re.compile(r"[(\[](?P<unit>[^()\[\]]{1,12})[)\]]\s*$")
_COMPARES = re.compile(r"\b(?:compar\w+|differen\w+|differs?|versus|vs)\b", re.IGNORECASE)
# "The phone number of" counts nothing.
_HOW_MANY = r"\b(?:how many|(?:the|total|maximum|minimum) number of|count)"
_COUNTS = re.compile(rf"{_HOW_MANY}\s+(?P<what>\w+)?", re.IGNORECASE)
_COUNTED = re.compile(
    rf"{_HOW_MANY}\s+(?:of\s+)?(?P<what>.*?)(?:\s+(?:is|are|was|were|do|does|did|can|could|has|have|"
    r"must|should|will|would|in|on|at|for|of|with|without|that|which|who|there|need\w*|support\w*)\b|$)",
    re.IGNORECASE,
)
_LISTS = re.compile(r"\b(?:which|what|list|show|all|name)\b", re.IGNORECASE)
_DESCRIBES = re.compile(r"\b(?:what(?:['’]s| (?:is|are|does|do))|means?|explain|describe|which)\b", re.IGNORECASE)
_JOINS = re.compile(r"\b(?:and|or|vs|versus|between|than|both)\b|,", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|no|never|without|only)\b|n['’]t\b", re.IGNORECASE)
_CONDITION_WEIGHT, _SLIGHT = 0.85, 0.1


def answer_from_table(
    question: str, table: Table, aliases: Mapping[str, Sequence[str]] | None = None
) -> TableAnswer | None:
    """Answer ``question`` from ``table`` alone; None where it does not ask for anything of it.

    ``aliases`` gives other spellings of terms ("VCCQ": ["I/O supply voltage"]).
    """
    asked = read_question(question, aliases or {})
    # A word may name a column and stand in cells of another one: "which versions are end of life".
    found = [answer for first in (True, False) if (answer := _Reading(asked, table, headers_first=first).answer())]
    return max(found, key=lambda answer: (round(answer.match, 6), answer.operation != "list"), default=None)


class _Reading:
    """One way to read a question against a table; ``headers_first``: a word that names a column is no value."""

    def __init__(self, asked: TableQuestion, table: Table, *, headers_first: bool) -> None:
        self.asked, self.table, self.headers_first = asked, table, headers_first
        self.claimed: set[int] = set()
        self.conditioned: set[int] = set()
        self.headers = [stems_of(_UNIT_IN_HEADER.sub("", name)) or stems_of(name) for name in table.header]
        self.others = [column for column in range(len(table.header)) if column != table.key]

    def answer(self) -> TableAnswer | None:
        asked, table = self.asked, self.table
        named = self._named_columns()
        selected, by_key = self._selected_rows(named)
        rows = list(range(len(table.rows))) if selected is None else selected
        rows = self._rows_with_stop_word(rows, named)
        for condition in asked.conditions:
            column = self._column_of_condition(condition, named)
            if column is None:
                return None
            rows = [row for row in rows if self._meets(row, column, condition)]
            self.conditioned.add(column)
        counts = _COUNTS.search(asked.text)
        switches = [column for column in named if self._is_switch(column)] if not by_key else []
        for column in switches:
            rows = [row for row in rows if self._is_on(row, column, strict=counts is not None)]
            self.conditioned.add(column)
        if asked.negated and not switches and not by_key and self.conditioned:
            rows = self._negated(rows)
        elif asked.negated and not switches and not any(self._is_switch(column) for column in named):
            return None
        if not rows:
            return None
        if _COMPARES.search(asked.text):
            if not by_key or len(rows) < 2:
                return None
            columns = named or [table.key, *self.others]
            return self._made("compare", rows, columns)
        superlative = asked.superlative if not self._is_claimed(asked.superlative) else ""
        if not superlative and by_key and len(rows) > 1:
            superlative = asked.comparative
        if superlative:
            return self._extreme(rows, named, compares_by(asked, superlative), superlative)
        wanted = [column for column in named if column not in self.conditioned]
        if counts and not (by_key and wanted):
            if any(stem(counts["what"] or "") in self.headers[column] for column in wanted):
                # "How many users are there": a sum of cells, not a number of rows.
                return None
            if not self._are_counted(rows):
                return None
            return self._made("count", rows, [*self.conditioned, *wanted], count=len(rows))
        if not wanted and (selected is not None):
            wanted = self._column_by_kind(rows)
        if wanted:
            cells = [fold(table.rows[row].cells[column]) for row in rows for column in wanted]
            if selected is None and not self.conditioned:
                whole = all(self.headers[column] <= self._asked_stems for column in wanted)
                return self._made("list", rows, wanted) if whole and _LISTS.search(asked.text) else None
            if all(cell in _NOTHING or not cell for cell in cells):
                return None
            return self._made("cell", rows, [*self.conditioned, *wanted])
        if self.conditioned:
            return self._made("filter", rows, [*self.conditioned])
        if selected is None:
            return self._made("list", rows, [table.key]) if _LISTS.search(asked.text) and self.claimed else None
        if not _DESCRIBES.search(asked.text):
            return None
        if len(rows) > 1:
            return self._made("filter", rows, [table.key])
        if any(word.weight > _SLIGHT for n, word in enumerate(asked.words) if n not in self.claimed):
            # It asks for something of this row that is no column.
            return None
        generic = [column for column in self.others if is_generic_header(table.header[column])]
        return self._made("cell", rows, generic or self.others)

    def _are_counted(self, rows: Sequence[int]) -> bool:
        """Say whether ``rows`` are what is counted, by the names of the rows or what stands above them."""
        counted = _COUNTED.search(self.asked.text)
        what = frozenset(content_stems(counted["what"])) if counted is not None else frozenset()
        above = self.headers[self.table.key] | stems_of(self.table.title)
        names = [stems_of(self.table.rows[row].cells[self.table.key]) for row in rows]
        return not what or bool(what & above) or all(what & name for name in names)

    def _made(
        self, operation: Operation, rows: Iterable[int], columns: Iterable[int], *, count: int | None = None
    ) -> TableAnswer | None:
        words = self.asked.words
        if any(word.code and index not in self.claimed for index, word in enumerate(words)):
            return None
        total = sum(word.weight for word in words) + _CONDITION_WEIGHT * len(self.asked.conditions)
        claimed = sum(words[index].weight for index in self.claimed) + _CONDITION_WEIGHT * len(self.asked.conditions)
        return TableAnswer(
            table=self.table,
            operation=operation,
            rows=tuple(sorted(rows)),
            columns=tuple(sorted(set(columns))),
            match=claimed / total if total else 0.0,
            count=count,
        )

    def _is_claimed(self, text: str) -> bool:
        return any(fold(self.asked.words[index].text) == text for index in self.claimed)

    def _claim(self, stems: frozenset[str]) -> None:
        """Count the question's words that are among ``stems`` as accounted for."""
        self.claimed |= {n for n, word in enumerate(self.asked.words) if word.weight and word.stands_in(stems)}

    @cached_property
    def _asked_stems(self) -> frozenset[str]:
        return frozenset().union(*(word.stems for word in self.asked.words))

    @cached_property
    def _cells(self) -> list[list[set[int]]]:
        """The question's words in each cell, by row and column; a group's name counts as its rows'."""
        found = []
        for row in self.table.rows:
            texts = [stems_of(cell) for cell in row.cells]
            texts[self.table.key] |= stems_of(row.group)
            letters = {n for n, word in enumerate(self.asked.words) if len(word.text) == 1}
            # A single letter can be the name of a row; elsewhere it is an initial or part of a formula.
            held = [self._held(stems) for stems in texts]
            found.append([each if column == self.table.key else each - letters for column, each in enumerate(held)])
        return found

    def _held(self, stems: frozenset[str]) -> set[int]:
        words = self.asked.words
        held = {n for n, word in enumerate(words) if word.weight and word.stands_in(stems)}
        for n in range(len(words) - 1):
            # "SHA 256" and "SHA256".
            joined = fold(words[n].text + words[n + 1].text)
            if any(map(str.isdigit, joined)) and joined in stems:
                held |= {n, n + 1}
        return held

    def _named_columns(self) -> list[int]:
        """Return the columns that the question names; those of which it names less than of others are left out."""
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
        return named or [c for c in names if self._is_phrase(self.table.header[c])]

    def _is_phrase(self, name: str) -> bool:
        """Say whether a header of stop words only ("What to do") stands in the question as a whole."""
        return " " in name and not content_stems(name) and fold(name).strip("?") in fold(self.asked.text)

    def _selected_rows(self, named: Sequence[int]) -> tuple[list[int] | None, bool]:
        """Return the rows whose cells hold most of the question's other words, and whether their names do."""
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
        if not best or all(self.asked.words[n].weight < _SLIGHT for r in best for n in whole[r]):
            return None, False
        for row in best:
            self.claimed |= whole[row]
            for column in self.others:
                if self._cells[row][column] & whole[row] - by_key[row]:
                    self.conditioned.add(column)
        return best, all(by_key[row] for row in best)

    def _rows_with_stop_word(self, rows: list[int], named: Sequence[int]) -> list[int]:
        """Keep the rows where a named column holds nothing but a stop word of the question ("off by default")."""
        small = {fold(word.text) for word in self.asked.words if not word.weight} - _YES - _NO
        for column in named:
            kept = [row for row in rows if fold(self.table.rows[row].cells[column]) in small]
            if kept:
                self.conditioned.add(column)
                return kept
        return rows

    @cached_property
    def _values(self) -> list[list[Value | None]]:
        unit_column = next((n for n, name in enumerate(self.table.header) if is_unit_header(name)), None)
        in_header = [_UNIT_IN_HEADER.search(name) for name in self.table.header]
        return [
            [
                read_value(cell, match["unit"] if match else row.cells[unit_column] if unit_column is not None else "")
                for cell, match in zip(row.cells, in_header, strict=True)
            ]
            for row in self.table.rows
        ]

    def _column_values(self, column: int) -> list[Value]:
        """Return the values of a column, none where most of its cells hold something else."""
        filled = [row for row, each in enumerate(self.table.rows) if fold(each.cells[column]) not in {"", *_NOTHING}]
        values = [value for row in filled if (value := self._values[row][column]) is not None]
        return values if 2 * len(values) > len(filled) else []

    @cached_property
    def _dimensions(self) -> list[set[str]]:
        """The dimensions of each column's values, "money €" also as "money"."""
        dimensions = [{value.dimension for value in self._column_values(n)} for n in range(len(self.headers))]
        return [each | {name.split()[0] for name in each if name} for each in dimensions]

    def _column_of_condition(self, condition: Condition, named: Sequence[int]) -> int | None:
        value = condition.value
        year = value.dimension == "" and 1900 <= value.low <= 2100

        def fits(column: int) -> bool:
            dimensions = self._dimensions[column]
            if value.dimension:
                return value.dimension in dimensions
            alike = len({each.factor for each in self._column_values(column) if each.low < math.inf}) == 1
            return alike or (year and "date" in dimensions)

        fitting = [column for column in range(len(self.headers)) if fits(column)]
        chosen = [column for column in fitting if column in named]
        if not chosen and not named and (value.dimension or condition.adjective):
            chosen = self._about(condition.adjective, fitting) or (fitting if value.dimension else [])
        if not chosen:
            return None
        self._claim_dimension(chosen[0])
        return chosen[0] if len(chosen) == 1 or chosen[0] in named or value.dimension else None

    def _meets(self, row: int, column: int, condition: Condition) -> bool:
        value = self._values[row][column]
        return value is not None and value.stands(condition.relation, condition.value)

    def _about(self, adjective: Adjective | None, columns: Sequence[int]) -> list[int]:
        """Return those of ``columns`` that an adjective is about, by their names before their units."""
        if adjective is None:
            return []
        by_name = [c for c in columns if self.headers[c] & (adjective.about | adjective.opposite)]
        return by_name or [
            column
            for column in columns
            if self._dimensions[column] & (adjective.dimensions | (adjective.opposite & {"time"}))
        ]

    def _claim_dimension(self, column: int) -> None:
        """Count words such as "price" and "time" as accounted for by a column of their dimension."""
        for dimension in self._dimensions[column]:
            self._claim(_DIMENSION_WORDS.get(dimension, frozenset()))

    def _is_switch(self, column: int) -> bool:
        """Say whether a column says yes or no; one with a single mark in some cells says yes there."""
        cells = [fold(row.cells[column]) for row in self.table.rows]
        filled = [cell for cell in cells if cell and cell not in _NOTHING]
        sure = [cell for cell in filled if cell in _YES or cell in _NO]
        return bool(filled) and 2 * len(sure) > len(filled)

    def _is_on(self, row: int, column: int, *, strict: bool) -> bool:
        cell = fold(self.table.rows[row].cells[column])
        if self.asked.negated:
            marks = {fold(each.cells[column]) for each in self.table.rows} - {""}
            return cell in _NO or (not cell and len(marks) == 1)
        return cell in _YES or bool(cell and not strict and cell not in _NO and not _NEGATIVE.match(cell))

    def _negated(self, rows: list[int]) -> list[int]:
        """Turn a filter round, unless its cells are negative themselves ("doesn't work on Mac")."""
        (column, *more) = self.conditioned
        if all(_NEGATIVE.search(self.table.rows[row].cells[column]) for row in rows):
            return rows
        if more:
            return []
        return [row for row, each in enumerate(self.table.rows) if row not in rows and each.cells[column]]

    def _extreme(
        self, rows: Sequence[int], named: Sequence[int], adjective: Adjective, word: str
    ) -> TableAnswer | None:
        numeric = [column for column in self.others if self._column_values(column)]
        chosen = [c for c in named if c in numeric and c not in self.conditioned] or (
            self._about(adjective, numeric) if not set(named) - self.conditioned else []
        )
        if not chosen and not named:
            chosen = self._column_by_kind(rows)
        valued = [(value, row) for row in rows for c in chosen[:1] if (value := self._values[row][c]) is not None]
        if len(valued) < 2:
            return None
        column = chosen[0]
        if len({value.dimension for value, _ in valued if value.low < math.inf}) > 1:
            return None
        sign = adjective.sign
        if self.headers[column] & adjective.opposite or "time" in adjective.opposite & self._dimensions[column]:
            sign = -sign
        ends = {row: end_of(value, sign) for value, row in valued}
        best = max(ends.values()) if sign > 0 else min(ends.values())
        self._claim(frozenset(map(stem, word.split())))
        self.claimed |= {n for n, each in enumerate(self.asked.words) if fold(each.text) in ADJECTIVES}
        self._claim(adjective.about)
        self._claim_dimension(column)
        return self._made("extreme", [row for row, end in ends.items() if end == best], [column])

    def _column_by_kind(self, rows: Sequence[int]) -> list[int]:
        """Return the column whose values are of the kind asked for: "how long", "how much", "when", "the price"."""
        asked = self.asked
        words = {stem(asked.how)} if asked.how not in ("", "much", "many") else set()
        words |= {each for n, word in enumerate(asked.words) if n not in self.claimed for each in word.stems}
        words |= {"price"} if asked.how == "much" else set()
        words |= {"when"} if re.match(r"when\b", asked.text, re.IGNORECASE) else set()
        dimensions = {dimension for dimension, names in _DIMENSION_WORDS.items() if names & words}
        found = [column for column in self.others if self._dimensions[column] & dimensions]
        if len(found) != 1:
            found = self._about(ADJECTIVES.get(asked.how), self.others)[:1] if not found else []
        if found:
            self._claim_dimension(found[0])
            self.claimed |= {n for n, word in enumerate(asked.words) if fold(word.text) == asked.how}
        return found
