"""Pages and files over HTTP: sizes, pictures, originals, what is refused, and what is not there for other groups."""

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from serving.access import Actor, RequestInfo
from serving.identity.guards import Guard
from tests.serving.documents.documents_server import ROOT, DocumentsServer, assert_refused, open_documents_server, pdf

pytestmark = pytest.mark.asyncio(loop_scope="module")
HTML = "<html><script>alert(1)</script><p>The lamp burns.</p></html>"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[DocumentsServer]:
    async with open_documents_server(tmp_path_factory.mktemp("documents")) as opened:
        yield opened


async def uploaded(server: DocumentsServer, name: str, content: bytes, group: str = "everyone") -> dict[str, Any]:
    response = await server.http.post(ROOT, files=[("files", (name, content))], data={"group": group})
    await server.watch(response.json())
    return next(each for each in await server.listed() if Path(each["path"]).name == name and each["group"] == group)


async def test_page_has_its_size_and_links_to_picture_and_file(server: DocumentsServer) -> None:
    content = pdf("The bilge pump runs on Mondays.", "The lamp burns on Tuesdays.")
    document = await uploaded(server, "pumps & lamps.pdf", content)
    own, sheet = f"{ROOT}/{document['id']}", await server.service.sheet(Actor(name="ann"), document["id"], 2)
    assert (sheet.page, sheet.width_pt, sheet.height_pt) == (2, 600, 800)
    picture = await server.http.get(sheet.picture)
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.headers["cache-control"] == "private, max-age=3600"
    assert picture.headers["vary"] == "Authorization, Cookie"
    assert Image.open(io.BytesIO(picture.content)).size == (sheet.width_px, sheet.height_px)
    file = await server.http.get(f"{own}/file")
    assert (file.content, file.headers["content-type"]) == (content, "application/pdf")
    assert file.headers["content-disposition"] == "inline; filename*=utf-8''pumps%20%26%20lamps.pdf"
    assert (await server.http.get(f"{own}/file", headers={"If-None-Match": file.headers["etag"]})).status_code == 304
    part = await server.http.get(f"{own}/file", headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.content) == (206, content[5:10])
    small = await server.http.get(f"{own}/pages/1/picture?width=120")
    assert Image.open(io.BytesIO(small.content)).width == 120


async def test_page_without_a_picture_differs_from_a_missing_page(server: DocumentsServer) -> None:
    document = await uploaded(server, "rules.md", b"# Rules\n\nVisitors sign the book.")
    own = f"{ROOT}/{document['id']}"
    code, message = assert_refused(await server.http.get(f"{own}/pages/1/picture"))
    assert (code, "only PDFs and images have" in message) == ("no_picture", True)
    missing = assert_refused(await server.http.get(f"{own}/pages/2/picture"))
    assert missing == ("not_found", "'rules.md' has 1 page: there is no page 2.")
    for path in ("nobody/pages/1/picture", "nobody/file"):
        assert assert_refused(await server.http.get(f"{ROOT}/{path}"))[0] == "not_found"
    for wrong in ("pages/one/picture", "pages/1/picture?width=7", "pages/1/picture?width=99999"):
        assert_refused(await server.http.get(f"{own}/{wrong}"), 422)


@pytest.mark.parametrize(
    ("name", "content", "kind", "shown"),
    [
        ("page.html", HTML.encode(), "application/octet-stream", "attachment"),
        ("plain.txt", HTML.encode(), "text/plain; charset=utf-8", "inline"),
        ("latin.txt", "Die Lampe brennt im Flur, übermäßig hell.".encode("latin-1"), "text/plain", "inline"),
        ("rules.csv", b"lamp,hall\nrope,deck\n", "text/plain; charset=utf-8", "inline"),
    ],
)
async def test_files_cannot_run_scripts_in_the_page(
    server: DocumentsServer, name: str, content: bytes, kind: str, shown: str
) -> None:
    document = await uploaded(server, name, content)
    file = await server.http.get(f"{ROOT}/{document['id']}/file")
    assert (file.content, file.headers["content-type"]) == (content, kind)
    assert file.headers["content-disposition"].split(";")[0] == shown
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


async def test_a_file_that_changed_or_moved_since_it_was_read_is_not_sent(server: DocumentsServer) -> None:
    document = await uploaded(server, "anchor.txt", b"The anchor holds.")
    address = f"{ROOT}/{document['id']}/file"
    assert (await server.http.get(address)).text == "The anchor holds."
    path = Path(document["path"])
    await asyncio.to_thread(path.write_bytes, b"The anchor falls.")
    code, message = assert_refused(await server.http.get(address))
    assert (code, "'anchor.txt' has changed since it was read" in message) == ("file_gone", True)
    await asyncio.to_thread(path.unlink)
    assert assert_refused(await server.http.get(address))[0] == "file_gone"
    await asyncio.to_thread(path.mkdir)
    assert assert_refused(await server.http.get(address))[0] == "file_gone"


CREW = {"X-Asker": "crew"}


class GroupGuard(Guard):
    """Lets each asker read the group of their name; who gives none reads every group."""

    async def authenticate(self, info: RequestInfo) -> Actor:
        actor, name = await super().authenticate(info), info.headers.get("x-asker")
        return replace(actor, name=name, groups=frozenset({name})) if name else actor


async def test_documents_of_other_groups_are_not_found(tmp_path: Path) -> None:
    async with open_documents_server(tmp_path, GroupGuard(user="ann")) as server:
        for group in ("office", "crew"):
            files = [("files", (f"{group}.pdf", pdf(f"The lamp of the {group} burns.")))]
            await server.watch((await server.http.post(ROOT, files=files, data={"group": group})).json())
        ids = {each["group"]: each["id"] for each in await server.listed()}
        page = (await server.http.get(ROOT, headers=CREW)).json()
        assert ([each["group"] for each in page["documents"]], page["totals"]["ready"]) == (["crew"], 1)
        assert server.service.intake(Actor(name="crew", groups=frozenset({"crew"}))).groups == ("crew",)
        own, foreign = (f"{ROOT}/{ids[group]}" for group in ("crew", "office"))
        for below in ("", "/pages/1/picture", "/file"):
            assert (await server.http.get(own + below, headers=CREW)).status_code == 200
            picture = await server.http.get(own + below, headers=CREW)
            known = {**CREW, "If-None-Match": picture.headers.get("etag", "*")}
            for headers in (CREW, known):
                assert (await server.http.get(foreign + below, headers=headers)).status_code == 404
        assert (await server.http.delete(foreign, headers=CREW)).status_code == 404
        assert {each["group"] for each in await server.listed()} == {"crew", "office"}
