"""Hold the text of the onboarding slides."""

from __future__ import annotations

from examples.source.blocks import Slide

SLIDES: tuple[Slide, ...] = (
    Slide(
        "Welcome to Halden Memory",
        ("Onboarding for new engineers", "One hour, eight slides, questions at any time"),
        notes="Halden Memory is a fictional company. Collect the signed safety forms before you start.",
    ),
    Slide(
        "Your first week",
        (
            "Day 1: badge, safety walk, laptop",
            "Day 2: clean room course, needed before any entry to the fab",
            "Day 3: bench training with the NAND training part",
            "Day 5: short talk with your mentor about open questions",
        ),
        notes="Laptops are handed out in room B-114. The clean room course takes three hours and ends with a test.",
    ),
    Slide(
        "What a drive is made of",
        (
            "NAND flash for the data, DRAM for the tables, a controller between them",
            "The controller runs the flash translation layer",
            "The host sees plain logical block addresses (LBA)",
        ),
        notes="Show the opened drive. Let people touch it only with a wrist strap on.",
    ),
    Slide(
        "Flash translation layer",
        (
            "Keeps a map from logical pages to physical pages",
            "Writes never go over old data: the new copy goes to a fresh page",
            "Garbage collection (GC) copies the valid pages out of a block, then erases the block",
            "Wear leveling spreads erases evenly over all blocks",
            "Bad blocks are left out and replaced from the spare area",
        ),
        notes="Static wear leveling also moves data that never changes; "
        "dynamic wear leveling only looks at free blocks.",
    ),
    Slide(
        "Write amplification",
        (
            "Write amplification factor (WAF) = data written to flash / data written by the host",
            "1 is ideal; small random writes push it up",
            "More over-provisioning brings it down",
            "The trim command tells the drive which data is no longer needed",
        ),
        notes="Our teaching drive keeps 28 percent of its capacity as over-provisioning.",
    ),
    Slide(
        "Turnaround times we promise",
        table=(
            ("Stage", "Owner", "TAT (turnaround time)"),
            ("Wafer sort", "Sort group", "4 days"),
            ("Assembly", "Packaging hall", "9 days"),
            ("Final test", "Test floor", "5 days"),
            ("Failure analysis, first answer", "FA lab", "3 working days"),
        ),
        notes="The times are house targets from lot start to lot out, holidays not counted.",
    ),
    Slide(
        "Words that mean two things",
        (
            "Mass production (MP) on a schedule, multi-plane in a data sheet",
            "Process of record (POR) in the fab, power-on reset on the bench",
            "When in doubt, spell it out",
        ),
        notes="A product enters mass production only after three qualified lots in a row. "
        "Ask the audience for more examples.",
    ),
    Slide(
        "Where to get help",
        (
            "First the help bot, then your mentor",
            "IT desk: extension 4100",
            "Library and standards: Jonas Lie, room A-020",
        ),
        notes="Printed copies of the JEDEC and ONFI standards can be borrowed from the library for 14 days.",
    ),
)
