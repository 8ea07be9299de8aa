"""Hold the text of the reliability notes."""

from __future__ import annotations

from examples.source.blocks import Bullets, Heading, Page, Paragraph, Table

TITLE = "Reliability notes"

BLOCKS: Page = (
    Paragraph("What wears a flash cell out, how errors are repaired, and what the qualification standards ask for."),
    Heading("Bits per cell"),
    Paragraph(
        "A cell that stores n bits must tell 2 to the power of n threshold voltages apart. The more levels, the "
        "smaller the gap between them and the sooner wear makes them overlap."
    ),
    Table(
        (
            ("Cell type", "Bits per cell", "Voltage levels", "Program/erase cycles we plan with (house figure)"),
            ("SLC, single-level cell", "1 bit", "2 levels", "60 000 cycles"),
            ("MLC, multi-level cell", "2 bits", "4 levels", "3 000 cycles"),
            ("TLC, triple-level cell", "3 bits", "8 levels", "1 500 cycles"),
            ("QLC, quad-level cell", "4 bits", "16 levels", "800 cycles"),
        ),
        (2.0, 1.0, 1.0, 2.0),
    ),
    Heading("What wears a cell"),
    Paragraph(
        "One program followed by one erase is a program/erase (PE) cycle. Each cycle pushes electrons through the "
        "tunnel oxide and leaves a few trapped there."
    ),
    Bullets(
        (
            "Read disturb: reading a page puts a pass voltage on the other word lines of the block, which slowly "
            "lifts their cells. The cure is to copy the block elsewhere after many reads.",
            "Program disturb: programming one page slightly changes neighbours that share its word line or bit lines.",
            "Retention loss: stored charge leaks away with time, faster when it is hot and when the block is worn.",
        )
    ),
    Heading("Repairing errors"),
    Paragraph(
        "BCH codes decode hard decisions: each bit arrives as a plain 0 or 1. To correct t errors in a codeword built "
        "over GF(2^m), a BCH code needs at most m times t parity bits."
    ),
    Paragraph(
        "Low-density parity-check codes were invented by Robert Gallager in the early 1960s. They can use soft "
        "information: the page is read again at shifted reference voltages, and the decoder learns how sure each bit "
        "is."
    ),
    Paragraph(
        "A correctable error (CE) is one the code repairs; the host never notices. The controller logs a CE only when "
        "more than 40 bits of a codeword had to be repaired. (House rule.) A bit error (BE) is a single wrong bit "
        "before correction, and the raw bit error rate (RBER) counts them."
    ),
    Heading("Bad blocks"),
    Paragraph(
        "Some blocks are bad from birth. The factory marks them, and the marks must be read before the first erase, "
        "for an erase may wipe them out. Block 0 is guaranteed good when the part is delivered. Blocks that fail to "
        "program or erase later are retired by the controller."
    ),
    Heading("Qualification"),
    Paragraph(
        "JESD218 sets the endurance and retention classes for drives. A client drive must hold its data for one year "
        "at 30 degrees Celsius without power, an enterprise drive for three months at 40 degrees Celsius, both at the "
        "end of their rated life. The uncorrectable bit error rate (UBER) may be at most 1 in 10^15 for client drives "
        "and at most 1 in 10^16 for enterprise drives."
    ),
    Paragraph(
        "Failure rates are given in FIT: one FIT is one failure in a billion device hours. The rate over life follows "
        "the bathtub curve, with early failures, a long flat stretch and wear-out at the end."
    ),
)
