"""Files, history and checks over HTTP."""

import pytest

from serving.access import Actor, Forbidden
from tests.serving.dictionary.dictionary_client import ADA, OURS, DictionaryClient, assert_refused

pytestmark = pytest.mark.slow


async def test_a_wrong_file_changes_nothing_and_names_its_lines(client: DictionaryClient) -> None:
    sheets = {"terms": b"term,extended_name,state\nA,Alpha,\n,Beta,\nC,,odd\n", "contexts": b"name\nProtocols\n"}
    upload = {name: (f"{name}.csv", content) for name, content in sheets.items()}
    for preview in ("true", "false"):
        response = await client.send("POST", "/import", params={"preview": preview}, files=upload, headers=OURS)
        error = assert_refused(response, 422)
        assert [line["line"] for line in error["lines"]] == [3, 4, 4]
        assert "terms.csv has 3 problems; nothing was imported" in error["message"]
        assert (await client.get("/contexts"))["items"] == []
    # For a large file, the least informative rows are left out.
    right = {"terms": ("terms.csv", b"term,extended_name\nA,Alpha\n")}
    query = {"preview": "true", "rows": "0"}
    short = (await client.send("POST", "/import", params=query, files=right, headers=OURS)).json()["terms"]
    assert (short["rows"], short["rows_left_off"]) == ([], 1)


async def test_import_needs_a_form_with_a_dictionary_file(client: DictionaryClient) -> None:
    for sheet, name, content, words in [
        ("terms", "a.csv", b"\x00\x01\x02", "'term' is missing"),
        ("terms", "../../etc/passwd", b"x", "cannot be imported"),
        ("terms", "..\\..\\evil.csv", b"term\nA\n", "evil.csv, line 1"),
        ("other", "a.csv", b"x", "No file"),
    ]:
        response = await client.send("POST", "/import", files={sheet: (name, content)}, headers=OURS)
        assert words in assert_refused(response, 422)["message"], name
    assert "No file" in assert_refused(await client.send("POST", "/import", json={}), 422)["message"]
    head = OURS | {"content-type": "multipart/form-data; boundary=x"}
    for content in (b"", b"--x\r\nbroken", b"nonsense", b"--x--"):
        assert (await client.send("POST", "/import", content=content, headers=head)).status_code in (400, 422)
    head = OURS | {"content-type": "multipart/form-data"}
    assert_refused(await client.send("POST", "/import", content=b"x", headers=head), 400)


async def test_export_imports_back_to_the_same_dictionary(client: DictionaryClient) -> None:
    await client.add("=SUM(1)", 'Sum; "one"', aliases=["a;b", "-c"], description="Line\nline", context="R/D")
    await client.add("PLR", "Physical Layer Retransmission", state="draft", notes="ünï © 測")
    for sheet, name in {"terms": "dictionary", "contexts": "dictionary-contexts"}.items():
        response = await client.send("GET", f"/export/{sheet}.csv")
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        assert response.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
        upload = {sheet: (f"{sheet}.csv", response.content)}
        back = (await client.send("POST", "/import", files=upload, headers=OURS)).json()[sheet]
        assert (back["added"], back["changed"], back["unchanged"]) == (0, 0, 2 if sheet == "terms" else 1)
    assert_refused(await client.send("GET", "/export/passwords.csv"), 422)


async def test_history_is_visible_only_to_readers_of_every_group(client: DictionaryClient) -> None:
    for term in ("A", "B", "C"):
        await client.add(term, f"{term} name")
    newest = client.service.history(ADA, limit=2)
    oldest = client.service.history(ADA, limit=2, before=newest[-1].number)
    assert [each.name for each in oldest] == ["A"]
    limited = Actor(name="Eve", groups=frozenset({"everyone"}))
    with pytest.raises(Forbidden):
        client.service.undo(limited, 1)
    with pytest.raises(Forbidden):
        client.service.history(limited)
