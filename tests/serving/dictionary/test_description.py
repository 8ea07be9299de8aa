"""The description of the routes is their documentation: whole, with examples, and true."""

from tests.serving.dictionary.desk import ROOT, Desk


async def test_every_route_has_its_words_its_errors_and_the_models_of_its_answers(sqlite_desk: Desk) -> None:
    document = (await sqlite_desk.http.get("/openapi.json")).json()
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if not path.startswith(ROOT):
                continue
            assert operation["summary"], (method, path)
            assert operation["description"].endswith("."), (method, path)
            assert {"4XX", "5XX"} <= set(operation["responses"]), (method, path)
            assert operation["tags"] == ["dictionary"], (method, path)
            if path.endswith(("/export/{sheet}", "/queue/{term}")):
                continue
            for status, response in operation["responses"].items():
                (content,) = response["content"].values()
                model = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
                assert model["description"], (path, status)
