"""Dimensions: which units answer a question about a voltage, a time, a size."""

import re

from tools.language import Quantity, fold

_UNITS: dict[str, frozenset[str]] = {
    "voltage": frozenset(["V", "mV", "kV", "µV", "uV", "volt", "volts"]),
    "current": frozenset(["A", "mA", "µA", "uA", "nA", "kA"]),
    "power": frozenset(["W", "mW", "kW", "MW", "µW"]),
    "frequency": frozenset(["Hz", "kHz", "MHz", "GHz"]),
    "rate": frozenset(
        """
        MB/s GB/s KB/s kB/s B/s TB/s MBps GBps Mbps Gbps kbps bps Mbit/s Gbit/s MT/s GT/s kT/s T/s bit/s
        Mb/s Gb/s
    """.split()  # noqa: SIM905
    ),
    "size": frozenset(
        """
        B kB KB MB GB TB PB KiB MiB GiB TiB bit bits kbit Mbit Gbit b Kb Mb Gb byte bytes iB
    """.split()  # noqa: SIM905
    ),
    "time": frozenset(
        """
        s ms µs us ns ps min minute minutes h hour hours day days week weeks month months year years second
        seconds
    """.split()  # noqa: SIM905
    ),
    "temperature": frozenset({"°C", "°F", "K"}),
    "share": frozenset({"%"}),
    "length": frozenset(
        """
        m mm cm km nm um µm pt px inch inches mil
    """.split()  # noqa: SIM905
    ),
    "mass": frozenset(["g", "kg", "mg", "t"]),
    "resistance": frozenset({"Ω", "kΩ", "MΩ", "mΩ", "ohm", "ohms"}),
    "capacitance": frozenset({"F", "pF", "nF", "µF", "uF", "mF"}),
    "cycles": frozenset({"cycle", "cycles"}),
}

_WORDS: tuple[tuple[str, str], ...] = (
    ("voltage", r"voltages?|volts?"),
    ("current", r"(?:leakage|standby|supply|active|peak|operating) currents?|amperes?|amps"),
    ("power", r"power consumption|watts?|wattage"),
    ("frequency", r"frequency|frequencies|clock (?:speed|rate)s?"),
    ("rate", r"data rates?|transfer (?:rate|speed)s?|bandwidth|throughput|how fast|bit ?rates?|transfers per second"),
    ("size", r"capacity|capacities|densit(?:y|ies)|(?:page|block|file|cache|memory|disk|storage|image|payload|"
             r"message) size"),
    ("time", r"how long|how old|duration|latency|latencies|delay|(?:time|timeout)(?:out)?|period|interval|how soon|"
             r"how often|retention|lifetime"),
    ("temperature", r"temperatures?|how (?:hot|cold|warm)"),
    ("share", r"percentages?|percent|per cent|what share|what fraction|probability"),
    ("length", r"how (?:far|thick|wide|deep|tall)|thickness|width|height|depth|distance|pitch|diameter|wavelength"),
    ("mass", r"weight|mass|how heavy"),
    ("resistance", r"resistance|impedance"),
    ("capacitance", r"capacitance"),
)  # fmt: skip
_PREFIX = re.compile(r"^(?:tera|giga|mega|kilo|milli|micro|nano|pico)(?=[a-z]{3})")
_UNIT_NAMES = {
    "volt": "voltage", "ampere": "current", "amp": "current", "watt": "power", "hertz": "frequency", "byte": "size",
    "bit": "size", "second": "time", "minute": "time", "hour": "time", "day": "time", "week": "time", "month": "time",
    "year": "time", "degree": "temperature", "percent": "share", "metre": "length", "meter": "length",
    "ohm": "resistance",
    "gram": "mass", "dollar": "money", "euro": "money",
}  # fmt: skip
_SPELT_OUT = re.compile(
    r"\b(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty|hundred|thousand)"
    r"[\s-]+(?P<unit>[a-z]{3,12})\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£¥]\s?\d|\b\d[\d.,]*\s?(?:USD|EUR|GBP|dollars?|euros?|cents?)\b", re.IGNORECASE)
_MONEY_WORDS = re.compile(r"\b(?:prices?|costs?|fees?|charges?|salary|budget|expensive)\b", re.IGNORECASE)


def dimension_of_words(question: str, asked: str) -> str:
    """Name the dimension that a question asks for, "" where its words name none.

    ``asked`` is the noun phrase asked for: only it and "how …" count, so that a voltage mentioned in passing does not.
    """
    words = " ".join([fold(asked), *re.findall(r"\bhow \w+", fold(question))])
    for dimension, pattern in _WORDS:
        if re.search(rf"\b(?:{pattern})\b", words):
            return dimension
    about = fold(question) if "how much" in words else words
    return "money" if _MONEY_WORDS.search(about) else ""


def dimension_of_unit_name(name: str) -> str:
    """Name the dimension of a unit spelt out, with or without its prefix ("milliseconds"), "" where it is none."""
    return _UNIT_NAMES.get(_PREFIX.sub("", name.casefold()).rstrip("s"), "")


def has_dimension(quantity: Quantity, dimension: str) -> bool:
    """Say whether a quantity is one of ``dimension``."""
    return quantity.unit in _UNITS.get(dimension, frozenset())


def names_dimension(text: str, dimension: str) -> bool:
    """Say whether a text names a number with a spelt-out unit of ``dimension`` ("30 seconds", "one year")."""
    return any(dimension_of_unit_name(match.group("unit")) == dimension for match in _SPELT_OUT.finditer(text))


def names_money(text: str) -> bool:
    """Say whether a text names a sum of money."""
    return bool(_MONEY.search(text))
