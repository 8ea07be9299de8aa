"""The code that a user of haiku.rag writes, following its guide to the Python API."""

import asyncio
from pathlib import Path

from haiku.rag.client import HaikuRAG
from haiku.rag.config import AppConfig


class Library:
    """An index over files."""

    def __init__(self, folder, model):
        config = AppConfig()
        config.embeddings.model.provider = "sentence-transformers"
        config.embeddings.model.name = model
        config.embeddings.model.vector_dim = 384
        config.processing.chunking_tokenizer = model
        self.run = asyncio.new_event_loop().run_until_complete
        self.client = HaikuRAG(Path(folder, "index.lancedb"), config=config, create=True)
        self.run(self.client.__aenter__())

    def add(self, files):
        for file in files:
            self.run(self.client.create_document_from_source(file))

    def search(self, question, count):
        found = self.run(self.client.search(question, limit=count))
        return [(Path(each.document_uri).name, each.content) for each in found]

    def close(self):
        self.run(self.client.__aexit__(None, None, None))

    def passages(self):
        return self.run(self.client.store.chunks_table.count_rows())

    def load(self, texts, vectors):
        from docling_core.types.doc.document import DoclingDocument
        from haiku.rag.client.documents import DocumentImport
        from haiku.rag.store.models.chunk import Chunk

        chunks = [
            Chunk(content=text, embedding=vector, order=at)
            for at, (text, vector) in enumerate(zip(texts, vectors.tolist(), strict=True))
        ]
        imports = [
            DocumentImport(DoclingDocument(name="copy"), chunks[start : start + 100], uri=f"file:///copy-{start}")
            for start in range(0, len(chunks), 100)
        ]
        self.run(self.client.import_documents(imports))
