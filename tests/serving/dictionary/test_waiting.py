"""Candidates, the queue of unknown terms, and several meanings at once, over HTTP."""

import pytest

from contracts.errors import NotFound
from serving.access import Actor
from tests.models import mined
from tests.serving.dictionary.dictionary_client import ADA, LUN, DictionaryClient, assert_refused


async def test_candidates_come_with_evidence_and_conflicts(client: DictionaryClient) -> None:
    client.store.add_candidates([LUN, mined("PLR", "Parts Lost Ratio")])
    known = await client.add("LUN", "Lunar Unit")
    listed = client.service.candidates(ADA)
    assert [item.sense.term for item in listed.items] == ["PLR", "LUN"]
    assert client.service.counts(ADA) == {"terms": 3, "candidates": 2, "queue": 0, "contexts": 0}
    (_, lun) = listed.items
    told = {"document": LUN.document, "page": 3, "sentence": LUN.evidence, "score": 0.5}
    assert [each.model_dump() for each in lun.evidence] == [told]
    assert [sense.id for sense in lun.conflicts] == [known["id"]]
    assert (lun.score, lun.sense.changed_by) == (0.5, "")
    assert client.service.candidates(ADA, limit=1, offset=1).items == (lun,)
    assert client.service.candidates(ADA, text="parts lost").total == 1
    (draft,) = (await client.get("/senses", term="LUN", state="draft"))["items"]
    assert (await client.edit(draft, state="published"))["state"] == "published"
    assert [item.sense.term for item in client.service.candidates(ADA).items] == ["PLR"]


async def test_the_queue_lists_what_is_neither_defined_nor_dismissed(client: DictionaryClient) -> None:
    for term in ("PLQ", "ES/NIRE", "PLQ", "Zed"):
        client.store.record_unknown(term, f"What is {term}?", "Protocols")
    await client.add("PLR", "Physical Layer Retransmission")
    queue = await client.get("/queue", limit=2)
    assert [(item["term"], item["count"]) for item in queue["items"]] == [("PLQ", 2), ("ES/NIRE", 1)]
    assert queue["total"] == 3
    assert (queue["items"][0]["last_question"], queue["items"][0]["context"]) == ("What is PLQ?", "Protocols")
    await client.add("es/nire", "Nested Interrupt Request")
    dismissed = await client.send("DELETE", "/queue/zed")
    assert (dismissed.status_code, dismissed.content) == (204, b"")
    assert [item["term"] for item in (await client.get("/queue"))["items"]] == ["PLQ"]
    assert_refused(await client.send("DELETE", "/queue/zed"), 404)


async def test_users_can_request_the_explanation_of_a_term(client: DictionaryClient) -> None:
    client.store.record_unknown("QXZ", "What is QXZ?", "Kiln")
    assert client.service.want(ADA, " qxz ", "It is on every radio log.") == "QXZ"
    (queued,) = (await client.get("/queue"))["items"]
    assert (queued["count"], queued["last_question"], queued["context"]) == (2, "It is on every radio log.", "Kiln")
    client.service.want(ADA, "QXZ")
    (queued,) = (await client.get("/queue"))["items"]
    assert (queued["count"], queued["last_question"]) == (3, "It is on every radio log.")
    with pytest.raises(NotFound):
        client.service.want(ADA, "never asked")


async def test_candidate_is_visible_only_to_readers_of_its_document(client: DictionaryClient) -> None:
    client.store.add_candidates([LUN])
    limited = Actor(name="Eve", groups=frozenset({"everyone"}))
    assert client.service.candidates(limited).items == ()
    (shown,) = client.service.candidates(ADA).items
    with pytest.raises(NotFound):
        client.service.sense(limited, shown.sense.id)
