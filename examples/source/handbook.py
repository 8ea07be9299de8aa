"""Hold the text of the interfaces handbook: NAND interfaces, commands, status, array organisation."""

from __future__ import annotations

from examples.source.blocks import Bullets, Heading, Page, Paragraph, Table
from examples.source.handbook_dram import PAGES as _DRAM_PAGES

TITLE = "Interfaces handbook for new engineers"

_ABOUT: Page = (
    Heading("Interfaces handbook for new engineers"),
    Paragraph(
        "This handbook is for people in their first months at Halden Memory. It explains how our NAND flash parts, and "
        "the DRAM that sits beside them, talk to the rest of a system. It does not replace a data sheet: where the two "
        "differ, the data sheet of the part is right and the handbook has an error, which you should report."
    ),
    Heading("Who keeps this book", 2),
    Paragraph(
        "The interface group keeps the handbook and reviews it every March. Send corrections to Ingrid Solberg, the "
        "editor, and put the page number in the first line. (House rule.)"
    ),
    Heading("How to read the signal names", 2),
    Bullets(
        (
            "A name that ends in a hash sign is active low: the function happens while the wire is at the low level.",
            "DQ[7:0] means the eight data wires from DQ7 down to DQ0.",
            "A number that ends in a small h is hexadecimal.",
            "A t at the front of a name is a time. The letters behind it say which one.",
        )
    ),
    Heading("VCC and VCCQ", 2),
    Paragraph(
        "VCC feeds the array and the logic of the die. VCCQ feeds only the input and output drivers. Keeping the two "
        "apart lets a system run a quiet, low signal level on the bus while the array keeps the supply it needs. JEDEC "
        "writes VDDQ for the same supply in its DRAM standards; in this house we say VCCQ for both."
    ),
)

_SIGNALS: Page = (
    Heading("1 Signals of a NAND part"),
    Paragraph(
        "A NAND part has no separate address bus. Commands, addresses and data all cross the same data wires, and two "
        "latch signals tell the part which of the three it is looking at. When both latch signals are low, data moves."
    ),
    Table(
        (
            ("Signal", "Full name", "Direction", "What it does"),
            ("CLE", "Command Latch Enable", "in", "While high, the byte on the bus is loaded as a command."),
            ("ALE", "Address Latch Enable", "in", "While high, the byte on the bus is loaded as an address."),
            ("CE#", "Chip Enable", "in", "Selects the target; while high and idle the target goes to standby."),
            ("WE#", "Write Enable", "in", "Clocks commands, addresses and, in SDR, input data on its rising edge."),
            ("RE#", "Read Enable", "in", "Clocks data out of the part."),
            ("WP#", "Write Protect", "in", "While low, program and erase are disabled."),
            ("DQ[7:0]", "Data bus", "both", "Carries commands, addresses and data."),
            ("DQS", "Data Strobe", "both", "Travels with the data in the double data rate modes."),
            ("R/B#", "Ready/Busy", "out", "Open drain; low while an array operation is running."),
        ),
        (1.0, 2.0, 1.0, 4.6),
        "Table 1: signals",
    ),
    Paragraph(
        "R/B# is an open-drain output, so several parts may share one wire; the board must provide a pull-up resistor. "
        "The strobe DQS is driven by whoever sends: the controller drives it during writes, the part during reads."
    ),
    Heading("Renamed wires in NV-DDR", 2),
    Paragraph(
        "NV-DDR is the only mode with a clock. The wire that was WE# becomes the clock CLK, and the wire that was RE# "
        "becomes W/R#, which tells who owns the data bus. NV-DDR2 and later modes go back to WE# and RE# and need no "
        "clock."
    ),
)

_INTERFACES: Page = (
    Heading("2 Interface generations"),
    Paragraph(
        "The Open NAND Flash Interface (ONFI) is written by an industry group; its first release appeared in December "
        "2006. Later releases added faster data interfaces. A part with a VCCQ of 1.8 V or more wakes up in the "
        "asynchronous interface and is then told to change over; a part fed with 1.2 V starts in NV-DDR3 at once."
    ),
    Table(
        (
            ("Data interface", "First in", "Fastest rate", "VCCQ", "Strobe"),
            ("SDR (asynchronous)", "ONFI 1.0", "50 MT/s", "3.3 V or 1.8 V", "none"),
            ("NV-DDR", "ONFI 2.0", "200 MT/s", "3.3 V or 1.8 V", "DQS, with clock"),
            ("NV-DDR2", "ONFI 3.0", "533 MT/s (ONFI 3.2)", "1.8 V", "DQS, no clock"),
            ("NV-DDR3", "ONFI 4.0", "1600 MT/s (ONFI 4.2)", "1.2 V", "DQS, no clock"),
            ("NV-LPDDR4", "ONFI 5.0", "3600 MT/s (ONFI 5.1)", "1.2 V", "DQS, no clock"),
        ),
        (2.1, 1.2, 2.2, 1.6, 1.8),
        "Table 2: interface modes, speed and input/output supply",
    ),
    Paragraph(
        "MT/s means million transfers per second. On an eight-bit bus one transfer is one byte. The row for NV-DDR2 "
        "gives the limit of the ONFI 3 family; parts that also offer NV-DDR3 may go further."
    ),
    Heading("Toggle mode", 2),
    Paragraph(
        "Toggle mode is the other family of fast NAND interfaces. It was brought out by Samsung and Toshiba, and like "
        "NV-DDR2 it has a strobe but no clock. The JEDEC standard JESD230 describes both families side by side, and "
        "their pin-outs have grown close enough that one board can often take either."
    ),
    Heading("Choosing the interface", 2),
    Paragraph(
        "A host changes over with the Set Features command on the timing mode feature, address 01h. A plain Reset "
        "(FFh) sends a part that runs NV-DDR or NV-DDR2 back to the asynchronous interface; Synchronous Reset (FCh) "
        "leaves the interface as it is."
    ),
)

_COMMANDS: Page = (
    Heading("3 Commands and addresses"),
    Paragraph(
        "Most operations take two command bytes with address bytes between them. The first byte says what is coming, "
        "the second byte starts it."
    ),
    Table(
        (
            ("Operation", "1st byte", "2nd byte", "Address cycles"),
            ("Read Page", "00h", "30h", "5"),
            ("Change Read Column", "05h", "E0h", "2"),
            ("Page Program", "80h", "10h", "5"),
            ("Page Cache Program", "80h", "15h", "5"),
            ("Copyback Read", "00h", "35h", "5"),
            ("Copyback Program", "85h", "10h", "5"),
            ("Block Erase", "60h", "D0h", "3"),
            ("Read Status", "70h", "-", "0"),
            ("Read Status Enhanced", "78h", "-", "3"),
            ("Read ID", "90h", "-", "1"),
            ("Read Parameter Page", "ECh", "-", "1"),
            ("Read Unique ID", "EDh", "-", "1"),
            ("Get Features", "EEh", "-", "1"),
            ("Set Features", "EFh", "-", "1"),
            ("Reset LUN", "FAh", "-", "3"),
            ("Reset", "FFh", "-", "0"),
        ),
        (3.0, 1.2, 1.2, 1.6),
        "Table 3: common commands",
    ),
    Paragraph(
        "A full address has two column cycles, which pick the byte inside the page, and three row cycles, which pick "
        "the page, the block and the LUN. Block Erase needs only the row, since an erase has no column."
    ),
    Paragraph(
        "The feature address (FA) is the single address byte of Get Features and Set Features. Four parameter bytes, "
        "P1 to P4, always follow it."
    ),
)

_STATUS: Page = (
    Heading("4 Identification and status"),
    Heading("Finding out what the part is", 2),
    Paragraph(
        "Read ID with address 20h returns the four letters O, N, F, I as bytes 4Fh 4Eh 46h 49h, which is the quickest "
        "check that a part follows the standard. Address 00h returns the manufacturer and device codes instead."
    ),
    Paragraph(
        "The parameter page is 256 bytes long and describes the whole part: geometry, timing modes, ECC need. At least "
        "three copies are stored one after another, and each ends with a CRC-16 whose polynomial is 8005h and whose "
        "start value is 4F4Eh. Read the next copy when the check fails."
    ),
    Heading("Status register", 2),
    Table(
        (
            ("Bit", "Name", "Meaning when 1"),
            ("0", "FAIL", "The last program or erase failed."),
            ("1", "FAILC", "The command before the last one failed (cached operations)."),
            ("5", "ARDY", "No array operation is in progress."),
            ("6", "RDY", "The LUN can take another command."),
            ("7", "WP_n", "The part is not write protected."),
        ),
        (0.6, 1.2, 5.0),
        "Table 4: status register",
    ),
    Paragraph(
        "Check RDY first; FAIL says nothing until the part is ready. With more than one LUN on a target, use Read "
        "Status Enhanced so that only the LUN you address answers."
    ),
)

_TIMING: Page = (
    Heading("5 Timing parameters"),
    Paragraph(
        "Times fall into two groups. Bus times (tRC, tWC, tADL and friends) say how fast signals may move. Array times "
        "(tR, tPROG, tBERS) say how long the array itself works. The numbers for our training part are in the workbook "
        "timing-parameters.xlsx; this page says what the names mean."
    ),
    Table(
        (
            ("Name", "What it measures"),
            ("tRC", "Read cycle: from one RE# edge to the next of the same kind."),
            ("tWC", "Write cycle: the same for WE#."),
            ("tR", "Page read: from the array to the page register."),
            ("tPROG", "Page program: from the page register to the array."),
            ("tBERS", "Block erase."),
            ("tADL", "Address cycle to data loading: last address byte to first data byte in."),
            ("tWHR", "WE# high to RE# low: the turn from command to status or data out."),
            ("tRR", "Ready to RE# low: wait between ready and the first read edge."),
            ("tWB", "WE# high to busy: how long R/B# may take to fall after a command."),
            ("tCCS", "Change column setup."),
        ),
        (1.0, 5.8),
        "Table 5: names of times",
    ),
    Table(
        (
            ("SDR timing mode", "0", "1", "2", "3", "4", "5"),
            ("tRC minimum", "100 ns", "50 ns", "35 ns", "30 ns", "25 ns", "20 ns"),
            ("tWC minimum", "100 ns", "45 ns", "35 ns", "30 ns", "25 ns", "20 ns"),
        ),
        (2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        "Table 6: cycle times of the asynchronous interface",
    ),
    Paragraph(
        "Mode 0 is the slowest; a part in the asynchronous interface starts there after power-up. Modes 4 and 5 "
        "usually need EDO data output, in which the controller samples on the following falling edge of RE#."
    ),
)

_ARRAY: Page = (
    Heading("6 Inside the package: targets, LUNs, planes, blocks, pages"),
    Bullets(
        (
            "A target is everything behind one CE# wire.",
            "A logical unit (LUN) is the smallest unit that can carry out commands and report status on its own. It "
            "is usually one die.",
            "A plane is a part of a LUN with its own page register, so planes can work at the same time.",
            "A block is the smallest unit that can be erased.",
            "A page is the smallest unit that can be programmed or read from the array.",
        )
    ),
    Paragraph(
        "Programming can only change bits from one to zero. Only an erase turns them back to one, so an erased page "
        "reads as FFh in every byte. Pages inside a block are to be programmed in ascending order."
    ),
    Heading("Multi-plane and interleaved work", 2),
    Paragraph(
        "A multi-plane (MP) operation starts the same kind of operation on several planes of one LUN. An interleaved "
        "operation keeps several LUNs busy at once. The two can be combined; most of the write speed of a drive comes "
        "from doing so."
    ),
    Heading("Strings, word lines and bit lines", 2),
    Paragraph(
        "Cells are chained in strings. A word line (WL) joins the control gates of one row of cells, a bit line joins "
        "the strings of a column to the sense amplifiers. In 3D NAND the string stands upright and the word lines are "
        "stacked layers."
    ),
    Paragraph(
        "Most parts hide a small one-time programmable (OTP) area that is reached through a feature setting and can "
        "never be erased. We keep the trim record of the die there. (House rule.)"
    ),
)

PAGES: tuple[Page, ...] = (_ABOUT, _SIGNALS, _INTERFACES, _COMMANDS, _STATUS, _TIMING, _ARRAY, *_DRAM_PAGES)
