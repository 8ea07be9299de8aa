"""Mail (EML): its headers, its text, and the attachments that other readers support."""

import email
import email.parser
import email.policy
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from email.message import EmailMessage, MIMEPart
from pathlib import Path, PurePath

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.html import markup_blocks
from ingestion.readers.pictures import PictureReader
from ingestion.readers.text import plain_blocks
from ingestion.scratch import scratch_folder
from tools.ocr import OcrEngine

_HEAD = ("From", "To", "Cc", "Date")
_MOST_HEAD_CHARACTERS = 500
_MAX_NESTED = 3
_MAX_PARTS = 2_000
# The header of a quoted message, below a rule or without one; "On Friday, Tim wrote:".
_QUOTED_HEAD = re.compile(
    r"(?:[-_]{5}.*\n)?\*?(?:From|Von):\*?\s+(?P<sender>.+)\n(?:.+\n){0,2}?"
    r"\*?(?:Sent|Date|Gesendet|Datum):\*?\s+(?P<date>.+)(?:\n.+)*"
)
_WROTE = re.compile(r"(?:On|Am)\s.{5,200}\s(?:wrote|schrieb)\b.{0,80}:")
_BROKEN_WROTE = re.compile(r"^([> ]*On\s.{5,200})\n[> ]*(wrote:)$", re.MULTILINE)


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read an email as one page, and its supported attachments as the pages after it.

    An attached message is read in the same way, up to three levels deep; an unreadable attachment produces a warning.

    Raises:
        UnreadableFile: the file is not an email.
    """
    with path.open("rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    if not any(_header(message, name) for name in (*_HEAD, "Subject", "Received", "Message-ID")):
        raise UnreadableFile(str(path), "it is not an email: it has no sender, date or subject")
    yield from _Mailbox(limits, ocr).pages(message)


def title(path: Path) -> str:
    """Return the subject, or ""."""
    with path.open("rb") as file:
        head = email.parser.BytesHeaderParser(policy=email.policy.default).parse(file)
    return _header(head, "Subject")


class _Mailbox:
    """Collects the pages of an email and its attachments; limits apply to all of them together."""

    def __init__(self, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        self._limits = limits
        self._ocr = ocr
        self._pictures = PictureReader(limits, ocr)
        self._number = 0
        self._attachments = 0
        self._shown: set[int] = set()

    def pages(self, message: EmailMessage, depth: int = 0) -> Iterator[Page]:
        self._number += 1
        number = self._number
        bodies = [_body_of(message, "html"), _body_of(message, "plain")]
        parts = [part for part in _leaves(message) if not any(part is body for body in bodies)]
        warnings: list[str] = []
        blocks = list(self._head(message, number))
        head = blocks[-1].text if blocks else ""
        blocks += _with_quoted_mails(self._body(bodies, head, parts, warnings))
        later: list[Page] = []
        for part in parts:
            if part.get_content_type() == "text/plain" and not part.is_attachment() and not _file_name(part):
                # The text continues after an attachment: the footer of a mailing list, text after a picture.
                blocks += plain_blocks(_text(part), number)
            elif id(part) not in self._shown:
                later += self._attachment(part, depth, warnings)
        yield self._pictures.page(Page(number=number, blocks=tuple(blocks), warnings=tuple(warnings)))
        yield from later

    def _head(self, message: EmailMessage, number: int) -> Iterator[Block]:
        subject = _header(message, "Subject")
        if subject:
            yield Block(kind="heading", text=subject, page=number, level=1)
        lines = [f"{name}: {text}" for name in _HEAD if (text := _header(message, name))]
        if lines:
            yield Block(kind="paragraph", text="\n".join(lines), page=number)

    def _body(
        self, bodies: list[MIMEPart | None], head: str, parts: list[MIMEPart], warnings: list[str]
    ) -> list[Block]:
        html, plain = bodies
        by_id = {f"cid:{name}": part for part in parts if (name := _header(part, "Content-ID").strip("<>"))}

        def fetch(address: str) -> bytes | None:
            if (part := by_id.get(address)) is None:
                return None
            self._shown.add(id(part))
            return _payload(part)

        if html is not None:
            try:
                blocks, hidden = markup_blocks(_text(html), self._number, self._pictures, fetch)
            except RecursionError:
                blocks, hidden = (), ("its HTML is nested too deeply; its plain text is read instead",)
            warnings += hidden
            if any(block.text.strip() for block in blocks):
                return list(blocks)
        return plain_blocks(_without_marks(_text(plain), head), self._number) if plain is not None else []

    def _attachment(self, part: MIMEPart, depth: int, warnings: list[str]) -> Iterator[Page]:
        nested = part.get_payload() if part.get_content_type() == "message/rfc822" else None
        name = _file_name(part)
        self._attachments += 1
        if self._attachments > self._limits.attachments:
            if self._attachments == self._limits.attachments + 1:
                warnings.append(f"more than {self._limits.attachments} attachments are not read")
        elif isinstance(nested, list) and nested and isinstance(nested[0], EmailMessage):
            if depth + 1 >= _MAX_NESTED:
                warnings.append(f"a mail attached {depth + 1} deep was left out: {_header(nested[0], 'Subject')!r}")
            else:
                yield from self.pages(nested[0], depth + 1)
        elif name:
            yield from self._file(name, part, warnings)

    def _file(self, name: str, part: MIMEPart, warnings: list[str]) -> Iterator[Page]:
        # The registry imports this reader too.
        from ingestion.readers.registry import SUPPORTED_SUFFIXES, reader_for

        suffix = PurePath(name).suffix.lower()
        if suffix not in SUPPORTED_SUFFIXES or suffix == ".eml":
            warnings.append(f"attachment {name!r} was left out: files of this kind cannot be read")
            return
        with scratch_folder() as folder:
            file = folder / f"attachment{suffix}"
            file.write_bytes(_payload(part))
            heading: tuple[Block, ...] = (Block(kind="heading", text=f"Attachment: {name}", level=1),)
            try:
                for page in reader_for(file).read(file, self._limits, self._ocr):
                    self._number += 1
                    yield _renumbered(replace(page, blocks=(*heading, *page.blocks)), self._number)
                    heading = ()
            except UnreadableFile as error:
                warnings.append(f"attachment {name!r} was not read: {error.reason}")
            except Exception as error:
                # A separate file would fail alone; here the rest of the email is read.
                warnings.append(f"attachment {name!r} was not read ({type(error).__name__}: {error})")


def _without_marks(text: str, head: str) -> str:
    """Remove the ``>`` from quoted lines; where an outer message continues after them, repeat its header."""
    heads = {0: head}
    lines: list[str] = []
    depth = 0
    for line in _BROKEN_WROTE.sub(r"\1 \2", text).split("\n"):
        content = re.sub(r"^(?:> ?)+", "", line)
        own = line[: len(line) - len(content)].count(">")
        if own != depth and line.strip():
            goes_on = own < depth and own in heads and own + 1 in heads
            lines += ["", heads[own], ""] if goes_on else [""]
            depth = own
        if _WROTE.fullmatch(content.strip()):
            heads[own + 1] = content
            content = f"\n{content}\n"
        lines.append(content)
    return "\n".join(lines)


def _with_quoted_mails(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with a heading, above other headings, for each quoted message that names its author."""
    for block in blocks:
        head = _QUOTED_HEAD.fullmatch(block.text) if block.kind == "paragraph" else None
        wrote = _WROTE.fullmatch(" ".join(block.text.split())) if block.kind == "paragraph" else None
        if head or wrote:
            name = f"{re.sub(r'(?<=.) *[<[].*', '', head['sender'])}, {head['date']}" if head else block.text
            yield Block(kind="heading", text=" ".join(name.split()), page=block.page, level=2)
        if not wrote:
            yield replace(block, level=block.level + 2) if block.kind == "heading" else block


def _body_of(message: EmailMessage, kind: str) -> MIMEPart | None:
    try:
        return message.get_body(preferencelist=(kind,))
    except Exception:
        return None


def _leaves(message: EmailMessage) -> Iterator[MIMEPart]:
    """Return the parts of a message in order, without those of an attached message."""
    pending: list[MIMEPart] = [message]
    for _ in range(_MAX_PARTS):
        if not pending:
            return
        part = pending.pop()
        payload = part.get_payload()
        if part.is_multipart() and part.get_content_type() != "message/rfc822" and isinstance(payload, list):
            pending.extend(each for each in reversed(payload) if isinstance(each, MIMEPart))
        elif part is not message:
            yield part


def _header(message: MIMEPart, name: str) -> str:
    try:
        found = str(message.get(name) or "")
    except Exception:
        # The standard library raises more kinds of errors for malformed addresses and dates than it documents.
        found = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(found.split())[:_MOST_HEAD_CHARACTERS]


def _text(part: MIMEPart) -> str:
    raw = _payload(part)
    for charset in (part.get_content_charset() or "utf-8", "utf-8", "cp1252"):
        try:
            text = raw.decode(charset, errors="replace" if charset == "cp1252" else "strict")
            return text.replace("\r\n", "\n").replace("\x00", "")
        except (LookupError, UnicodeDecodeError):
            continue
    return ""


def _payload(part: MIMEPart) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _file_name(part: MIMEPart) -> str:
    try:
        name = part.get_filename() or ""
    except Exception:
        name = ""
    return re.split(r"[/\\]", " ".join(name.split()))[-1][:200]


def _renumbered(page: Page, number: int) -> Page:
    blocks = [
        replace(
            block,
            page=number,
            boxes=tuple(replace(each, box=replace(each.box, page=number)) for each in block.boxes),
        )
        for block in page.blocks
    ]
    return replace(page, number=number, blocks=tuple(blocks))
