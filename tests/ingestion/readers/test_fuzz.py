"""Files with random damage: each is read or refused with a reason, none breaks a reader.

``GOLDEN_FUZZ_ROUNDS`` says how many are tried of each kind, ``GOLDEN_FUZZ_SEED`` with which damage.
"""

import io
import os
import random
import zipfile
from pathlib import Path

import pytest

from contracts.errors import UnreadableFile
from tests.ingestion.readers.reading import FixedOcr, read
from tests.ingestion.readers.test_eml import letter
from tests.ingestion.readers.test_epub import write_book
from tests.ingestion.readers.test_hostile import MAKERS
from tests.ingestion.readers.test_rst import MANUAL

ROUNDS = int(os.environ.get("GOLDEN_FUZZ_ROUNDS", "25"))
SEED = int(os.environ.get("GOLDEN_FUZZ_SEED", "7"))
TEXTS = {
    ".rst": MANUAL,
    ".md": "---\ntitle: T\n---\n# A\n\n- a\n  - b\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nx\n```\n[a](b) **c** `d`\n",
    ".html": "<table><tr><th rowspan=2>a<td colspan=3>b</table><ul><li>x<ul><li>y</ul></ul><math><mfrac><mi>a</mi>"
    "</mfrac></math><pre>c</pre><p style='display:none'>d<img src='data:image/png;base64,AAAA'>",
    ".csv": 'a,b\n"c,d",e\n',
    ".txt": "Title\n=====\n\nA  B  C\n1  2  3\n4  5  6\n\n- a\n- b\n",
}


def whole(suffix: str, folder: Path) -> bytes:
    path = folder / f"whole{suffix}"
    if suffix in TEXTS:
        path.write_text(TEXTS[suffix])
    elif suffix == ".epub":
        write_book(path)
    elif suffix == ".eml":
        message = letter()
        message.add_alternative("<p>a<table><tr><td>1<td>2</table>", subtype="html")
        message.add_attachment("a;b\n1;2\n", filename="a.csv")
        message.add_attachment(letter("inner"))
        path.write_bytes(message.as_bytes())
    else:
        MAKERS[suffix](path)
    return path.read_bytes()


def damaged(raw: bytes, rng: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(rng.choice((1, 2, 5, 20))):
        at = rng.randrange(len(changed) + 1)
        other = rng.randrange(len(changed) + 1)
        match rng.randrange(4):
            case 0:
                del changed[at : at + rng.randrange(1, 30)]
            case 1:
                changed[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
            case 2:
                changed[at:at] = changed[other : other + rng.randrange(1, 60)]
            case _:
                changed[at:at] = changed[at : at + rng.randrange(1, 6)] * rng.randrange(1, 50)
    return bytes(changed)


def damaged_part(raw: bytes, rng: random.Random) -> bytes:
    """Damage one part of a zip and pack it anew, so that the damage is found by the parser, not by a checksum."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
        chosen = rng.choice([name for name in old.namelist() if name.endswith(("xml", "html", "opf", "rels"))])
        for name in old.namelist():
            new.writestr(name, damaged(old.read(name), rng) if name == chosen else old.read(name))
    return out.getvalue()


def test_damaged_files_are_read_or_refused(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for suffix in [*MAKERS, ".epub", ".eml", *TEXTS]:
        with subtests.test(suffix=suffix):
            rng = random.Random(f"{SEED}{suffix}")
            raw = whole(suffix, tmp_path)
            path = tmp_path / f"damaged{suffix}"
            reasons: list[str] = []
            for number in range(ROUNDS):
                packed = raw.startswith(b"PK") and number % 3
                path.write_bytes(damaged_part(raw, rng) if packed else damaged(raw, rng))
                try:
                    pages = read(path, FixedOcr())
                except UnreadableFile as error:
                    reasons.append(error.reason)
                else:
                    assert all(block.page == page.number for page in pages for block in page.blocks)
            assert all(reasons)
            assert len(reasons) < ROUNDS
