"""Documents of other groups are not there: neither listed nor shown, drawn, sent, changed or removed."""

from dataclasses import replace
from pathlib import Path

from serving.access import Actor, LoopbackGuard, RequestInfo
from tests.serving.documents.documents_server import ROOT, open_documents_server
from tests.serving.documents.test_pages import pdf

CREW = {"X-Asker": "crew"}


class GroupGuard(LoopbackGuard):
    """Lets each asker read the group of their name; who gives none reads every group."""

    async def authenticate(self, info: RequestInfo) -> Actor:
        actor, name = await super().authenticate(info), info.headers.get("x-asker")
        return replace(actor, name=name, groups=frozenset({name})) if name else actor


async def test_documents_of_other_groups_are_not_there(tmp_path: Path) -> None:
    async with open_documents_server(tmp_path, GroupGuard(user="ann")) as server:
        for group in ("office", "crew"):
            files = [("files", (f"{group}.pdf", pdf(f"The lamp of the {group} burns.")))]
            await server.watch((await server.http.post(ROOT, files=files, data={"group": group})).json())
        ids = {each["group"]: each["id"] for each in await server.listed()}
        page = (await server.http.get(ROOT, headers=CREW)).json()
        assert ([each["group"] for each in page["documents"]], page["totals"]["ready"]) == (["crew"], 1)
        assert (await server.http.get(f"{ROOT}/intake", headers=CREW)).json()["groups"] == ["crew"]
        own, foreign = (f"{ROOT}/{ids[group]}" for group in ("crew", "office"))
        for below in ("", "/pages/1", "/pages/1/picture", "/file"):
            assert (await server.http.get(own + below, headers=CREW)).status_code == 200
            picture = await server.http.get(own + below, headers=CREW)
            known = {**CREW, "If-None-Match": picture.headers.get("etag", "*")}
            for headers in (CREW, known):
                assert (await server.http.get(foreign + below, headers=headers)).status_code == 404
        assert (await server.http.patch(foreign, json={"group": "crew"}, headers=CREW)).status_code == 404
        # Nor is one's own given away to a group that one may not read.
        assert (await server.http.patch(own, json={"group": "office"}, headers=CREW)).status_code == 404
        assert (await server.http.delete(foreign, headers=CREW)).status_code == 404
        assert {each["group"] for each in await server.listed()} == {"crew", "office"}
