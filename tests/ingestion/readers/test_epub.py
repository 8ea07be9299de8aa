"""Books: the spine in its order, pictures, formulas; locked, damaged and hostile ones."""

import zipfile
from pathlib import Path

import pytest

from contracts.errors import UnreadableFile
from ingestion.readers import reader_for
from tests.ingestion.readers.reading import LAUGHS, FixedOcr, kinds, picture, read

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The pump  book</dc:title></metadata><manifest>'
    '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    '<item id="b" href="text/b%20two.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="p" href="img/p.png" media-type="image/png"/></manifest>'
    '<spine><itemref idref="nav"/><itemref idref="b"/><itemref idref="a"/>{more}</spine></package>'
)
FIRST = (
    '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>'
    '<h1>Valves</h1><p>Open <i>slowly</i>.</p><img src="../img/p.png" alt="plan"/>'
    "<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math></body></html>"
)
SECOND = "<html><body><h2>Care</h2><ul><li>Oil</li></ul></body></html>"


def write_book(path: Path, *, more: str = "", parts: dict[str, str | bytes] | None = None) -> None:
    content: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": PACKAGE.format(more=more),
        "OPS/nav.xhtml": "<html><body><nav>Contents</nav></body></html>",
        "OPS/text/b two.xhtml": FIRST,
        "OPS/text/a.xhtml": SECOND,
        "OPS/img/p.png": picture("Valve seven opens left"),
        **(parts or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in content.items():
            archive.writestr(name, each)


def test_reads_the_spine_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    write_book(path)
    first, second = read(path, FixedOcr())
    assert kinds(first) == [
        ("heading", "Valves"),
        ("paragraph", "Open slowly."),
        ("paragraph", "plan"),
        ("paragraph", "Valve seven opens left"),
        ("paragraph", "a/(b^2)"),
    ]
    assert kinds(second) == [("heading", "Care"), ("list", "- Oil")]
    assert [second.number, second.blocks[0].page] == [2, 2]
    assert reader_for(path).title(path) == "The pump book"


def test_says_which_parts_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    package = PACKAGE.format(more='<itemref idref="nothing"/>').replace("text/a.xhtml", "../../../etc/passwd")
    write_book(path, parts={"OPS/book.opf": package})
    first, second = read(path)
    assert "not in its manifest" in first.warnings[0]
    assert second.blocks == ()
    assert "missing or damaged" in second.warnings[0]


def test_refuses_locked_and_damaged_books(tmp_path: Path) -> None:
    locked, empty, broken = (tmp_path / f"{name}.epub" for name in ("locked", "empty", "broken"))
    lock = (
        '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod '
        'Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><enc:CipherData><enc:CipherReference '
        'URI="OPS/text/a.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>'
    )
    write_book(locked, parts={"META-INF/encryption.xml": lock})
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
    write_book(broken)
    broken.write_bytes(broken.read_bytes()[:-400])
    for path, reason in ((locked, "rights management"), (empty, "no EPUB"), (broken, "damaged or cut off")):
        with pytest.raises(UnreadableFile, match=reason):
            read(path)


def test_entities_of_its_own_are_not_blown_up(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    part = f"{LAUGHS}]><html><body><p>Words &j; end.</p></body></html>"
    write_book(path, parts={"OPS/text/a.xhtml": part})
    pages = read(path)
    assert sum(len(text) for page in pages for _, text in kinds(page)) < 2_000
    write_book(path, parts={"OPS/book.opf": f"{LAUGHS}]>" + PACKAGE.format(more="").replace("The pump", "&j;")})
    assert len(reader_for(path).title(path)) < 1_000
