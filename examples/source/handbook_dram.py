"""Hold the last pages of the interfaces handbook: the DRAM side, the tester link and the glossary."""

from __future__ import annotations

from examples.source.blocks import Bullets, Heading, Page, Paragraph, Table

_DRAM: Page = (
    Heading("7 The DRAM beside the flash"),
    Paragraph(
        "Many of our boards carry a DRAM that holds the mapping tables. New engineers mix up DRAM generations with "
        "NAND interface names, because NV-DDR3 and DDR3 look so much alike. They have nothing to do with each other: "
        "the first is a flash bus, the second a kind of DRAM."
    ),
    Table(
        (
            ("DRAM generation", "VCCQ level", "Prefetch", "Standard"),
            ("DDR2", "1.8 V", "4n", "JESD79-2"),
            ("DDR3", "1.5 V", "8n", "JESD79-3"),
            ("DDR3L", "1.35 V", "8n", "JESD79-3-1"),
            ("DDR4", "1.2 V", "8n, with bank groups", "JESD79-4"),
        ),
        (1.8, 1.4, 2.2, 1.6),
        "Table 7: DRAM generations and their input/output supply",
    ),
    Paragraph(
        "The VCCQ level for DDR3 is 1.5 V. JEDEC calls it VDDQ. DDR4 adds a second rail, VPP, of 2.5 V, which feeds "
        "the word line drivers so that the part need not pump that voltage up itself."
    ),
    Heading("Rows, banks and refresh", 2),
    Paragraph(
        "A DRAM row must be opened before it is read. The Activate command (ACT) opens it, Precharge closes it again. "
        "A DDR3 part has 8 banks; an x8 DDR4 part has 16 banks in 4 bank groups. Cells leak, so all rows are refreshed "
        "within 64 ms, which at normal temperature comes to one refresh command every 7.8 microseconds on average."
    ),
    Paragraph(
        "Write latency (WL) counts the clocks from the write command to the first data. Burst length (BL) is the "
        "number of transfers that one command causes; it is 8 in DDR3."
    ),
)

_ANALOGUE: Page = (
    Heading("8 Keeping fast signals clean"),
    Heading("Delay-locked loop (DLL)", 2),
    Paragraph(
        "The DLL of a DRAM lines the strobe up with the clock by adding an adjustable delay. After it is reset, a DDR3 "
        "part needs 512 clock cycles before the DLL is locked and reads may be trusted. Slow test modes run with the "
        "DLL off."
    ),
    Heading("On-die termination (ODT)", 2),
    Paragraph(
        "A fast wire that simply ends sends part of the signal back. ODT puts the terminating resistor inside the die "
        "and switches it on only when it is wanted, so no resistors are needed on the board. The value of the "
        "termination is written RTT. NAND has had ODT since NV-DDR2."
    ),
    Heading("ZQ calibration", 2),
    Paragraph(
        "Driver strength drifts with temperature and supply. During ZQ calibration the part compares its drivers with "
        "an outside reference resistor on the ZQ pin. For DDR3 that resistor is 240 ohm with a tolerance of 1 %. Long "
        "calibration (ZQCL) is used at power-up, short calibration (ZQCS) from time to time while running."
    ),
    Paragraph("NAND took over the idea with NV-DDR3: command F9h starts the long calibration and D9h the short one."),
    Heading("Rules for the bench", 2),
    Bullets(
        (
            "Never share one ZQ resistor between two parts that may calibrate at the same time.",
            "Run a long calibration again after the chamber temperature has moved by more than 20 degrees. (House "
            "rule.)",
            "Probe DQS, not DQ, when you look for skew.",
        )
    ),
)

_LINK: Page = (
    Heading("9 The tester link"),
    Paragraph(
        "Our load boards talk to the tester over a serial link of our own, called Fjord Link. Everything on this page "
        "is a house design and will not be found in a public standard."
    ),
    Heading("Physical Layer Retransmission (PLR)", 2),
    Paragraph(
        "Fjord Link repairs transmission errors by Physical Layer Retransmission (PLR): the sender keeps every frame "
        "until the receiver has acknowledged it, and sends it again if the frame check fails. The layers above never "
        "see the error. A frame is retransmitted at most 3 times; then the link is declared down and the lamp on the "
        "load board turns red."
    ),
    Table(
        (
            ("Field of a frame", "Length", "Remark"),
            ("Start marker", "1 byte", "always A5h"),
            ("Sequence number", "1 byte", "counts 0 to 255 and wraps"),
            ("Payload", "64 bytes", "padded with zeros"),
            ("Frame check", "4 bytes", "CRC-32"),
        ),
        (2.2, 1.2, 3.0),
        "Table 8: frame of the Fjord Link",
    ),
    Paragraph(
        "The retransmission buffer holds 16 frames. The round-trip time (RTT) of the link must stay below 40 "
        "microseconds, otherwise the buffer fills up and the test slows down."
    ),
    Paragraph(
        "An acknowledgement (ACK) names the last good frame; a negative acknowledgement (NAK) "
        "asks for the next one again."
    ),
)

_GLOSSARY: Page = (
    Heading("10 Short glossary"),
    Paragraph("These are the abbreviations that visitors ask about most. The full dictionary is kept by the help bot."),
    Table(
        (
            ("Abbreviation", "Stands for", "Where it is used"),
            ("SDR", "Single Data Rate", "asynchronous NAND interface"),
            ("DDR", "Double Data Rate", "both edges of a strobe or clock carry data"),
            ("EDO", "Extended Data Output", "SDR modes 4 and 5"),
            ("FTL", "Flash Translation Layer", "firmware of a drive"),
            ("ECC", "Error Correction Code", "controller"),
            ("BCH", "Bose-Chaudhuri-Hocquenghem", "a family of block codes"),
            ("LDPC", "Low-Density Parity-Check", "a family of codes with soft decoding"),
            ("CRC", "Cyclic Redundancy Check", "parameter page, links"),
            ("SSD", "Solid-State Drive", "systems"),
            ("UFS", "Universal Flash Storage", "phones"),
            ("TSV", "Through-Silicon Via", "stacked dies"),
            ("JEDEC", "JEDEC Solid State Technology Association", "standards body"),
        ),
        (1.3, 3.2, 3.0),
        "Table 9: abbreviations",
    ),
    Paragraph(
        "If an abbreviation is missing here, ask the help bot before you ask a colleague; if the bot does not know it "
        "either, it puts the word on a list for the dictionary keeper."
    ),
)

PAGES: tuple[Page, ...] = (_DRAM, _ANALOGUE, _LINK, _GLOSSARY)
