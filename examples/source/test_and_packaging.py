"""Hold the text of the scanned booklet on test and packaging."""

from __future__ import annotations

from examples.source.blocks import Bullets, Heading, Page, Paragraph, Table

TITLE = "Test and packaging booklet"

_FLOW: Page = (
    Heading("Test flow"),
    Paragraph(
        "A die is tested several times on its way to the customer. Each step is cheaper than the next one, so a fault "
        "should be found as early as possible."
    ),
    Bullets(
        (
            "Wafer sort: a probe card touches the pads of each die while the wafer is still whole. Bad dies are "
            "marked on an electronic wafer map and are not assembled.",
            "Assembly: good dies are sawn, stacked, wired and moulded.",
            "Burn-in: parts run hot and at raised voltage so that weak ones fail in our house and not at the customer.",
            "Final test: every packaged part is tested at speed and over temperature, then graded and laser marked.",
            "Sample test: quality assurance takes a sample from each lot and tests it once more.",
        )
    ),
    Heading("Burn-in conditions", 2),
    Paragraph(
        "Our standard burn-in lasts 12 hours at 125 degrees Celsius. Automotive lots stay in the oven for 48 hours. "
        "(House rule.)"
    ),
    Table(
        (
            ("Step", "Temperature", "Yield target"),
            ("Wafer sort, cold", "-10 C", "92 %"),
            ("Wafer sort, hot", "85 C", "94 %"),
            ("Final test, hot", "95 C", "98.5 %"),
            ("Final test, room", "25 C", "99.2 %"),
        ),
        (2.4, 1.6, 1.6),
        "Temperatures and yield targets (house figures)",
    ),
    Paragraph("A lot below its yield target is put on hold and needs the signature of the product engineer."),
)

_EQUIPMENT: Page = (
    Heading("On the test floor"),
    Paragraph(
        "Automatic test equipment (ATE) drives the pins, compares what comes back and sorts the parts. The part being "
        "tested is called the device under test (DUT). A load board joins the two; it carries the sockets."
    ),
    Heading("Shmoo plots", 2),
    Paragraph(
        "A Shmoo plot shows pass and fail over two swept conditions, most often supply voltage against cycle time. "
        "Look at the shape: a clean slope is normal, a hole in the passing area hints at a marginal circuit."
    ),
    Heading("Counting bad parts", 2),
    Paragraph(
        "Outgoing quality is given in DPPM, defective parts per million. Seven bad parts among two million shipped are "
        "3.5 DPPM. Our limit for consumer parts is 50 DPPM, for automotive parts it is 1 DPPM. (House rule.)"
    ),
    Heading("Bins", 2),
    Table(
        (
            ("Bin", "Meaning", "Next step"),
            ("1", "Full speed, all blocks good", "Ship"),
            ("2", "Full speed, bad blocks within limit", "Ship"),
            ("4", "Slow part", "Regrade"),
            ("7", "Contact fault", "Retest once"),
            ("8", "Functional fault", "Failure analysis"),
        ),
        (0.7, 3.4, 2.0),
        "Bins of final test (house numbering)",
    ),
    Paragraph(
        "Contact faults are mostly dirty sockets. Clean the socket, retest once, and scrap the part if it fails again. "
        "Sockets are replaced after 80 000 insertions."
    ),
)

_PACKAGES: Page = (
    Heading("Packages"),
    Heading("TSOP", 2),
    Paragraph(
        "The thin small outline package (TSOP) has gull-wing leads on its two short sides. The common NAND version has "
        "48 leads at a pitch of 0.5 mm and a body of 12 mm by 20 mm with leads. It suits the asynchronous interface."
    ),
    Heading("BGA", 2),
    Paragraph(
        "A ball grid array (BGA) has solder balls on its underside. The paths are short and the ground is good, which "
        "is why fast interfaces need it. X-ray is the only way to inspect the joints once the part is soldered."
    ),
    Heading("Joining the die", 2),
    Bullets(
        (
            "Wire bond: thin gold or copper wires run from the pads of the die to the substrate. Cheap and well "
            "proven.",
            "Flip chip: the die lies face down on bumps. Short paths, more costly.",
            "Through-silicon via (TSV): metal posts go straight through thinned dies. Used for tall, fast stacks.",
        )
    ),
    Heading("Stacks", 2),
    Paragraph(
        "A multi-chip package (MCP) holds several dies in one body, for example NAND and DRAM. Package on package "
        "(PoP) stacks two finished packages, usually memory on top of the processor, and each can be tested before "
        "they are joined. A die that has passed every test before assembly is a known good die (KGD). Known good dies "
        "matter in stacks, for one bad die spoils all the others."
    ),
    Paragraph(
        "Our wafers are ground down from 775 to 60 micrometres before they are stacked. "
        "(House figure for the ground thickness.)"
    ),
)

_MOISTURE: Page = (
    Heading("Moisture and handling"),
    Paragraph(
        "Plastic packages take up water from the air. In the reflow oven the water turns to steam and can crack the "
        "package, which is called the popcorn effect. The moisture sensitivity level (MSL) says how long a part may "
        "lie in the open."
    ),
    Table(
        (
            ("MSL", "Floor life out of the bag"),
            ("1", "unlimited"),
            ("2", "1 year"),
            ("2a", "4 weeks"),
            ("3", "168 hours"),
            ("4", "72 hours"),
            ("5", "48 hours"),
            ("5a", "24 hours"),
        ),
        (1.0, 3.0),
        "Floor life after J-STD-020 and J-STD-033",
    ),
    Paragraph(
        "The clock starts when the dry bag is opened. When the floor life is over, bake the parts before soldering: in "
        "this house 24 hours at 125 degrees Celsius on a metal tray, never on the plastic reel."
    ),
    Heading("Back end (BE) and final assembly (FA)", 2),
    Paragraph(
        "In the packaging hall, back end (BE) means everything after the wafer has been sawn, and FA on a traveller "
        "means final assembly, not failure analysis. The packaging hall is led by Marit Dahl, extension 4620. (House "
        "rule.)"
    ),
    Heading("Marking", 2),
    Paragraph(
        "The second line on a package is the date code: two digits for the year and two for the week. A dot in the "
        "lower left corner marks an engineering sample, which must not be sold."
    ),
)

PAGES: tuple[Page, ...] = (_FLOW, _EQUIPMENT, _PACKAGES, _MOISTURE)
