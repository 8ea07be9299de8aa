"""Answers questions from a table: cells, rows that meet a condition, counts, extremes, comparisons and lists."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from tools.language import content_stems, fold, stem
from tools.tables.question_match import NEGATIVE, SLIGHT, QuestionMatch
from tools.tables.question_words import ADJECTIVES, Adjective, compares_by, read_question, stems_of
from tools.tables.table import Operation, Table, TableAnswer, is_generic_header
from tools.tables.values import end_of

_COMPARES = re.compile(r"\b(?:compar\w+|differen\w+|differs?|versus|vs)\b", re.IGNORECASE)
# Does not match "the phone number of", which does not ask for a count.
_HOW_MANY = r"\b(?:how many|(?:the|total|maximum|minimum) number of|count)"
_COUNTS = re.compile(rf"{_HOW_MANY}\s+(?P<what>\w+)?", re.IGNORECASE)
_COUNTED = re.compile(
    rf"{_HOW_MANY}\s+(?:of\s+)?(?P<what>.*?)(?:\s+(?:is|are|was|were|do|does|did|can|could|has|have|"
    r"must|should|will|would|in|on|at|for|of|with|without|that|which|who|there|need\w*|support\w*)\b|$)",
    re.IGNORECASE,
)
_LISTS = re.compile(r"\b(?:which|what|list|show|all|name)\b", re.IGNORECASE)
_DESCRIBES = re.compile(r"\b(?:what(?:['’]s| (?:is|are|does|do))|means?|explain|describe|which)\b", re.IGNORECASE)
_CONDITION_WEIGHT = 0.85


def answer_from_table(
    question: str, table: Table, aliases: Mapping[str, Sequence[str]] | None = None
) -> TableAnswer | None:
    """Answer ``question`` from ``table`` alone; return None if it does not ask for anything in the table.

    ``aliases`` contains other spellings of terms ("VCCQ": ["I/O supply voltage"]).
    """
    asked = read_question(question, aliases or {})
    # A word may name a column and also occur in cells of another column: "which versions are end of life".
    found = [answer for first in (True, False) if (answer := _Reading(asked, table, headers_first=first).answer())]
    return max(found, key=lambda answer: (round(answer.match, 6), answer.operation != "list"), default=None)


class _Reading(QuestionMatch):
    """One interpretation of a question for a table, and the table's answer to it."""

    def answer(self) -> TableAnswer | None:
        """Return the table's answer; None if the question does not ask for anything in it."""
        asked, table = self.asked, self.table
        named = self.named_columns()
        selected, by_key = self.selected_rows(named)
        rows = list(range(len(table.rows))) if selected is None else selected
        for condition in asked.conditions:
            column = self.column_of_condition(condition, named)
            if column is None:
                return None
            rows = [row for row in rows if self.meets(row, column, condition)]
            self.conditioned.add(column)
        counts = _COUNTS.search(asked.text)
        switches = [column for column in named if self.is_switch(column)] if not by_key else []
        for column in switches:
            rows = [row for row in rows if self.is_on(row, column, strict=counts is not None)]
            self.conditioned.add(column)
        if asked.negated and not switches and not by_key and self.conditioned:
            rows = self._negated(rows)
        elif asked.negated and not switches and not any(self.is_switch(column) for column in named):
            return None
        if not rows:
            return None
        if _COMPARES.search(asked.text):
            if not by_key or len(rows) < 2:
                return None
            columns = named or [table.key, *self.others]
            return self._made("compare", rows, columns)
        superlative = asked.superlative if not self.is_claimed(asked.superlative) else ""
        if not superlative and by_key and len(rows) > 1:
            superlative = asked.comparative
        if superlative:
            return self._extreme(rows, named, compares_by(asked, superlative), superlative)
        wanted = [column for column in named if column not in self.conditioned]
        if counts and not (by_key and wanted):
            if any(stem(counts["what"] or "") in self.headers[column] for column in wanted):
                # "How many users are there" asks for a sum of cells, not for a number of rows.
                return None
            if not self._are_counted(rows):
                return None
            return self._made("count", rows, [*self.conditioned, *wanted], count=len(rows))
        return self._look_up(rows, wanted, chosen=selected is not None)

    def _look_up(self, rows: list[int], wanted: list[int], *, chosen: bool) -> TableAnswer | None:
        """Return cells in ``rows``; ``chosen`` means that the question names these rows, and they are not all rows."""
        asked, table = self.asked, self.table
        if not wanted and chosen:
            wanted = self.column_by_kind(rows)
        if wanted:
            if not chosen and not self.conditioned:
                whole = all(self.headers[column] <= self.asked_stems for column in wanted)
                return self._made("list", rows, wanted) if whole and _LISTS.search(asked.text) else None
            return self._made("cell", rows, [*self.conditioned, *wanted], asked=wanted)
        if self.conditioned:
            return self._made("filter", rows, [*self.conditioned])
        if not chosen:
            return self._made("list", rows, [table.key]) if _LISTS.search(asked.text) and self.claimed else None
        if not _DESCRIBES.search(asked.text):
            return None
        if len(rows) > 1:
            return self._made("filter", rows, [table.key])
        if any(word.weight > SLIGHT for n, word in enumerate(asked.words) if n not in self.claimed):
            # The question asks for something about this row that is not in the table.
            return None
        generic = [column for column in self.others if is_generic_header(table.header[column])]
        return self._made("cell", rows, generic or self.others)

    def _are_counted(self, rows: Sequence[int]) -> bool:
        """Return whether ``rows`` are the things to count, according to their names or the text above them."""
        counted = _COUNTED.search(self.asked.text)
        what = frozenset(content_stems(counted["what"])) if counted is not None else frozenset()
        above = self.headers[self.table.key] | stems_of(self.table.title)
        names = [stems_of(self.table.rows[row].cells[self.table.key]) for row in rows]
        return not what or bool(what & above) or all(what & name for name in names)

    def _made(
        self,
        operation: Operation,
        rows: Iterable[int],
        columns: Iterable[int],
        *,
        count: int | None = None,
        asked: Iterable[int] = (),
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
            asked=tuple(sorted(set(asked))),
        )

    def _negated(self, rows: list[int]) -> list[int]:
        """Invert a filter, unless the cells themselves are negative ("doesn't work on Mac")."""
        (column, *more) = self.conditioned
        if all(NEGATIVE.search(self.table.rows[row].cells[column]) for row in rows):
            return rows
        if more:
            return []
        return [row for row, each in enumerate(self.table.rows) if row not in rows and each.cells[column]]

    def _extreme(
        self, rows: Sequence[int], named: Sequence[int], adjective: Adjective, word: str
    ) -> TableAnswer | None:
        numeric = [column for column in self.others if self.column_values(column)]
        chosen = [c for c in named if c in numeric and c not in self.conditioned] or (
            self.about(adjective, numeric) if not set(named) - self.conditioned else []
        )
        if not chosen and not named:
            chosen = self.column_by_kind(rows)
        valued = [(value, row) for row in rows for c in chosen[:1] if (value := self.values[row][c]) is not None]
        if len(valued) < 2:
            return None
        column = chosen[0]
        if len({value.dimension for value, _ in valued if value.low < math.inf}) > 1:
            return None
        sign = adjective.sign
        if self.headers[column] & adjective.opposite or "time" in adjective.opposite & self.dimensions[column]:
            sign = -sign
        ends = {row: end_of(value, sign) for value, row in valued}
        best = max(ends.values()) if sign > 0 else min(ends.values())
        self.claim(frozenset(map(stem, word.split())))
        self.claimed |= {n for n, each in enumerate(self.asked.words) if fold(each.text) in ADJECTIVES}
        self.claim(adjective.about)
        self.claim_dimension(column)
        return self._made("extreme", [row for row, end in ends.items() if end == best], [column])
