"""Hostile PDFs: loops, bombs, lies about their own size, and what only a password opens."""

import zlib
from collections.abc import Mapping
from pathlib import Path

from tests.ingestion.hostile.files import HostileFile

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_LINE = b"BT /F1 12 Tf 70 760 Td (The winch is greased every 12 days.) Tj ET\n"


def pdf(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """Write objects by their numbers with a table of where they are; object 1 is the root."""
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    last = max(objects)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (last + 1)
    for number in range(1, last + 1):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (last + 1, trailer, table)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def one_page(
    content: bytes, more: Mapping[int, bytes] | None = None, *, page: bytes = b"", names: bytes = b""
) -> bytes:
    """Write a PDF of one page; ``page`` is added to its entries, ``names`` to its resources."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> %s >> %s >>" % (names, page),
        4: content,
        5: _FONT,
    }
    return pdf({**objects, **(more or {})})


def packed(content: bytes, times: int = 1) -> bytes:
    for _ in range(times):
        content = zlib.compress(content, 9)
    return stream(content, b"/Filter [%s]" % (b"/FlateDecode " * times))


def page_tree_that_holds_itself(path: Path) -> None:
    path.write_bytes(
        pdf(
            {
                1: b"<< /Type /Catalog /Pages 2 0 R >>",
                2: b"<< /Type /Pages /Kids [3 0 R 2 0 R 6 0 R] /Count 3 >>",
                3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
                b"/Resources << /Font << /F1 5 0 R >> >> >>",
                4: stream(_LINE),
                5: _FONT,
                6: b"<< /Type /Pages /Kids [2 0 R 6 0 R] /Parent 2 0 R /Count 2 >>",
            }
        )
    )


def page_tree_without_end(path: Path) -> None:
    depth = 20_000
    nodes = {
        number: b"<< /Type /Pages /Parent %d 0 R /Kids [%d 0 R] /Count 1 >>" % (max(2, number - 1), number + 1)
        for number in range(2, depth)
    }
    last = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] >>" % (depth - 1)
    path.write_bytes(pdf({1: b"<< /Type /Catalog /Pages 2 0 R >>", **nodes, depth: last}))


def drawing_that_draws_itself(path: Path) -> None:
    form = stream(
        _LINE + b"/X Do /X Do\n",
        b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 6 0 R >> "
        b"/Font << /F1 5 0 R >> >>",
    )
    path.write_bytes(one_page(stream(_LINE + b"/X Do\n"), {6: form}, names=b"/XObject << /X 6 0 R >>"))


def giant_sheet(path: Path) -> None:
    whole = one_page(stream(b"0 0 1 rg 0 0 99 99 re f\n"))
    path.write_bytes(whole.replace(b"[0 0 595 842]", b"[0 0 10000000 10000000]"))


def script_and_launch(path: Path) -> None:
    """JavaScript, a program to launch and a file to send, all at opening; the page itself is good."""
    actions = b"/AA << /O << /S /JavaScript /JS (app.alert\\('x'\\)) >> >>"
    whole = one_page(stream(_LINE), page=actions)
    launch = b"/OpenAction << /S /Launch /F (/bin/sh) >> /Pages"
    path.write_bytes(whole.replace(b"/Pages 2 0 R >>\nendobj", launch + b" 2 0 R >>\nendobj", 1))


READ = ("ingested",)
EITHER = ("ingested", "failed")
PDFS = (
    HostileFile(name="page-tree-cycle.pdf", write=page_tree_that_holds_itself, statuses=EITHER),
    HostileFile(name="page-tree-deep.pdf", write=page_tree_without_end, statuses=EITHER, says="."),
    HostileFile(name="drawing-loop.pdf", write=drawing_that_draws_itself, statuses=EITHER),
    HostileFile(name="giant-sheet.pdf", write=giant_sheet, statuses=EITHER),
    HostileFile(name="script-and-launch.pdf", write=script_and_launch, statuses=READ),
)


def nested_forms(path: Path, levels: int) -> None:
    """Write a page that draws a form ten times, which draws the next one ten times, and so on."""
    head = b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] "
    forms = {
        number: stream(b"/F Do " * 10, head + b"/Resources << /XObject << /F %d 0 R >> >>" % (number + 1))
        for number in range(6, 6 + levels - 1)
    }
    forms[5 + levels] = stream(_LINE, head + b"/Resources << /Font << /F1 5 0 R >> >>")
    path.write_bytes(one_page(stream(b"/F Do " * 10), forms, names=b"/XObject << /F 6 0 R >>"))
