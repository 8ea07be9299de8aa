"""Precomputed vectors in the wired application go with their document."""

from pathlib import Path

from golden_retriever.settings import Settings
from golden_retriever.wiring import open_application

GUIDE = "# Kestrel\n\nThe retention of audit records is 400 days. The duty officer answers at extension 5521.\n"


async def test_a_removed_document_leaves_no_vectors_of_its_passages(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    async with open_application(Settings(data_dir=tmp_path / "data", workers=1), one_shot=True) as application:
        await application.pipeline.ingest([tmp_path / "guide.md"])
        precomputation = application.precomputation
        assert precomputation is not None
        await precomputation.update()
        (document,) = application.store.documents()
        passages = [each.id for each in application.store.document_chunks(document.id) if each.kind == "passage"]
        assert await precomputation.count(passages) == len(passages) > 0
        answer = await application.chatbot.ask("For how long are audit records retained?")
        assert "400 days" in answer.text
        proof = await application.remover.remove(document.id)
        assert proof.problems == ()
        assert await precomputation.count(passages) == 0
