"""Hold the sheets of the timing workbook.

Bus times follow ONFI 4.0. Array times belong to an invented training part.
"""

from __future__ import annotations

from examples.source.blocks import Cell, Sheet

_HEADER: tuple[Cell, ...] = ("Parameter", "Symbol", "Min", "Max", "Unit", "Mode")

_BUS: tuple[tuple[Cell, ...], ...] = (
    _HEADER,
    ("Address cycle to data loading time", "tADL", 400, None, "ns", "SDR mode 0"),
    ("Address cycle to data loading time", "tADL", 400, None, "ns", "SDR mode 5"),
    ("WE# high to RE# low", "tWHR", 120, None, "ns", "SDR mode 0"),
    ("WE# high to RE# low", "tWHR", 80, None, "ns", "SDR mode 5"),
    ("Ready to RE# low", "tRR", 40, None, "ns", "SDR mode 0"),
    ("Ready to RE# low", "tRR", 20, None, "ns", "SDR mode 5"),
    ("WE# high to R/B# low", "tWB", None, 200, "ns", "SDR mode 0"),
    ("WE# high to R/B# low", "tWB", None, 100, "ns", "SDR mode 5"),
    ("RE# access time", "tREA", None, 40, "ns", "SDR mode 0"),
    ("RE# access time", "tREA", None, 16, "ns", "SDR mode 5"),
    ("CE# access time", "tCEA", None, 100, "ns", "SDR mode 0"),
    ("CE# access time", "tCEA", None, 25, "ns", "SDR mode 5"),
    ("RE# high to WE# low", "tRHW", 200, None, "ns", "SDR mode 0"),
    ("RE# high to WE# low", "tRHW", 100, None, "ns", "SDR mode 5"),
    ("CE# setup time", "tCS", 70, None, "ns", "SDR mode 0"),
    ("CE# setup time", "tCS", 15, None, "ns", "SDR mode 5"),
    ("Data setup time", "tDS", 40, None, "ns", "SDR mode 0"),
    ("Data setup time", "tDS", 7, None, "ns", "SDR mode 5"),
    ("WE# pulse width", "tWP", 50, None, "ns", "SDR mode 0"),
    ("WE# pulse width", "tWP", 10, None, "ns", "SDR mode 5"),
    ("Busy time for Set and Get Features", "tFEAT", None, 1, "us", "all SDR modes"),
)

_ARRAY: tuple[tuple[Cell, ...], ...] = (
    _HEADER,
    ("Page read time", "tR", None, 25, "us", "training part HM-1, one bit per cell"),
    ("Page program time", "tPROG", None, 600, "us", "training part HM-1, one bit per cell"),
    ("Block erase time", "tBERS", None, 3, "ms", "training part HM-1, one bit per cell"),
    ("Page read time", "tR", None, 90, "us", "training part HM-3, three bits per cell"),
    ("Page program time", "tPROG", None, 2800, "us", "training part HM-3, three bits per cell"),
    ("Block erase time", "tBERS", None, 15, "ms", "training part HM-3, three bits per cell"),
    ("Reset time while erasing", "tRST", None, 500, "us", "training part HM-1, one bit per cell"),
)

_EQUIPMENT: tuple[tuple[Cell, ...], ...] = (
    ("Equipment", "Room", "Channels", "Top rate", "Unit", "Keeper"),
    ("Tester Alfa", "C-201", 512, 800, "MT/s", "Nils Berg"),
    ("Tester Bravo", "C-202", 1024, 1600, "MT/s", "Nils Berg"),
    ("Burn-in oven 1", "C-310", 240, 10, "MT/s", "Sara Moen"),
    ("Bench oscilloscope", "C-115", 4, None, None, "Tor Vik"),
    ("Wafer prober", "C-120", 256, 200, "MT/s", "Liv Aas"),
)

SHEETS: tuple[Sheet, ...] = (
    Sheet("SDR timing", _BUS),
    Sheet("Array times", _ARRAY),
    Sheet("Test equipment", _EQUIPMENT),
)
