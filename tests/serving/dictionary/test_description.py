"""The description of the routes is their documentation: whole, with examples, and true."""

from typing import Any

from tests.serving.dictionary.desk import ROOT, Desk


async def described(desk: Desk) -> dict[str, Any]:
    document: dict[str, Any] = (await desk.http.get("/openapi.json")).json()
    return document


async def test_every_route_has_its_words_and_its_errors(sqlite_desk: Desk) -> None:
    paths = (await described(sqlite_desk))["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            if path.startswith(ROOT):
                operation_name = f"{method} {path}"
                assert operation["summary"], operation_name
                assert operation["description"].endswith("."), operation_name
                assert {"4XX", "5XX"} <= set(operation["responses"]), operation_name
                assert operation["tags"] == ["dictionary"], operation_name
    ids = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)


async def test_every_answer_has_a_model(sqlite_desk: Desk) -> None:
    document = await described(sqlite_desk)
    for path, methods in document["paths"].items():
        for operation in methods.values():
            if not path.startswith(ROOT) or path.endswith(("/export/{sheet}", "/queue/{term}")):
                continue
            for status, response in operation["responses"].items():
                (content,) = response["content"].values()
                model = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
                assert model["description"], f"{path} {status}"
