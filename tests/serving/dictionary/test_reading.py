"""How questions are read over HTTP."""

from tests.serving.dictionary.dictionary_client import DictionaryClient, assert_refused


async def test_preview_shows_how_a_question_would_be_interpreted(client: DictionaryClient) -> None:
    await client.add("DLL", "Delay-Locked Loop", context="Memory")
    await client.add("DLL", "Dynamic-Link Library", context="Software")
    body = {"question": "How many cycles does the DLL need?"}
    vague = (await client.send("POST", "/readings", json=body)).json()
    assert vague["outcome"] == "clarify"
    (mention,) = vague["mentions"]
    assert body["question"][mention["span"]["start"] : mention["span"]["end"]] == mention["text"] == "DLL"
    assert len(vague["readings"][0]["alternatives"]) == 2
    clear = (await client.send("POST", "/readings", json={**body, "department": "Memory"})).json()
    assert (clear["outcome"], clear["context"]) == ("answer", "Memory")
    assert clear["readings"][0]["sense"]["extended_name"] == "Delay-Locked Loop"
    assert "Memory" in clear["readings"][0]["reason"]
    assert "Delay-Locked Loop" in clear["augmented_question"]
    assert abs(sum(each["probability"] for each in clear["contexts"]) + clear["none_of_these"] - 1) < 1e-6
    unknown = (await client.send("POST", "/readings", json={"question": "What is VPQ?"})).json()
    assert (unknown["outcome"], unknown["augmented_question"]) == ("unknown_term", "")
    # Previewing a question does not record it as asked.
    assert (await client.get("/queue"))["items"] == []
    assert "empty" in assert_refused(await client.send("POST", "/readings", json={"question": " "}), 422)["message"]
    assert_refused(await client.send("POST", "/readings", json={"question": "x" * 10_000}), 422)
