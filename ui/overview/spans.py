"""Which days are shown, and how they are put into the columns of a plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from contracts.overview import DayCount

CHOICES = (7, 30, 90)
_DEFAULT = 30
# As many columns as can be told apart on a telephone; more days than these are put together by the week.
_MOST_COLUMNS = 93
_WEEK = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The days that are shown, both included. ``days`` is one of ``CHOICES``, 0 for days of one's own."""

    first: date
    last: date
    days: int = 0

    @classmethod
    def of_place(cls, place: Mapping[str, str], today: date) -> "Chosen":
        """Return what an address, which may be anything, asks for: the last 30 days where it names none."""
        first, last = _day(place.get("first_day")), _day(place.get("last_day"))
        if first and last:
            return cls(first=first, last=last)
        days = next((each for each in CHOICES if place.get("days") == str(each)), _DEFAULT)
        return cls(first=today - timedelta(days=days - 1), last=today, days=days)

    @property
    def place(self) -> dict[str, str]:
        """Return what the address says of it."""
        if self.days:
            return {} if self.days == _DEFAULT else {"days": str(self.days)}
        return {"first_day": str(self.first), "last_day": str(self.last)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Some days in a row, which are one column; ``days`` are those of them on which something was asked."""

    first: date
    last: date
    days: tuple[DayCount, ...]

    @property
    def median_s(self) -> float:
        """Return the median time of an answer: for several days, the mean of theirs, weighted by their questions."""
        return self._mean([(each.median_s, each.asked) for each in self.days])

    @property
    def p95_s(self) -> float:
        """Return the time within which 95 % of the answers came: for several days, the longest of theirs."""
        return max((each.p95_s for each in self.days), default=0.0)

    @property
    def asked(self) -> int:
        """Return how many questions were asked."""
        return self.count("asked")

    def count(self, name: str) -> int:
        """Return the sum of a count of the days."""
        return sum(int(getattr(each, name)) for each in self.days)

    def _mean(self, weighed: Sequence[tuple[float, int]]) -> float:
        whole = sum(weight for _, weight in weighed)
        return sum(value * weight for value, weight in weighed) / whole if whole else 0.0


def spans_of(days: Sequence[DayCount], first: date, last: date) -> tuple[Span, ...]:
    """Return the columns from ``first`` to ``last``: a day each, or a week each where the days are many."""
    length = 1 if (last - first).days < _MOST_COLUMNS else _WEEK
    found: list[Span] = []
    at = first
    while at <= last:
        end = min(at + timedelta(days=length - 1), last)
        found.append(Span(first=at, last=end, days=tuple(each for each in days if str(at) <= each.day <= str(end))))
        at = end + timedelta(days=1)
    return tuple(found)


def _day(given: str | None) -> date | None:
    try:
        return date.fromisoformat(given or "")
    except ValueError:
        return None
