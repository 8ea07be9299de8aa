"""The code that a user of Haystack writes, following its tutorial on preprocessing."""

from pathlib import Path

from haystack import Document, Pipeline
from haystack.components.converters import HTMLToDocument
from haystack.components.preprocessors import DocumentCleaner, DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)


class Library:
    """An index over files."""

    def __init__(self, folder, model):
        self.path = Path(folder, "documents.json")
        self.store = InMemoryDocumentStore()
        if self.path.exists():
            self.store = InMemoryDocumentStore.load_from_disk(str(self.path))
        self.indexing = Pipeline()
        self.indexing.add_component("converter", HTMLToDocument())
        self.indexing.add_component("cleaner", DocumentCleaner())
        self.indexing.add_component("splitter", DocumentSplitter(split_by="word", split_length=150, split_overlap=50))
        self.indexing.add_component("embedder", SentenceTransformersDocumentEmbedder(model=model))
        self.indexing.add_component("writer", DocumentWriter(self.store))
        self.indexing.connect("converter", "cleaner")
        self.indexing.connect("cleaner", "splitter")
        self.indexing.connect("splitter", "embedder")
        self.indexing.connect("embedder", "writer")
        self.searching = Pipeline()
        self.searching.add_component("embedder", SentenceTransformersTextEmbedder(model=model))
        self.searching.add_component("retriever", InMemoryEmbeddingRetriever(self.store))
        self.searching.connect("embedder.embedding", "retriever.query_embedding")

    def add(self, files):
        self.indexing.run({"converter": {"sources": files}})

    def search(self, question, count):
        result = self.searching.run({"embedder": {"text": question}, "retriever": {"top_k": count}})
        return [(Path(each.meta["file_path"]).name, each.content) for each in result["retriever"]["documents"]]

    def close(self):
        self.store.save_to_disk(str(self.path))

    def passages(self):
        return self.store.count_documents()

    def load(self, texts, vectors):
        self.store.write_documents(
            [
                Document(content=text, embedding=vector, meta={"file_path": "copy"})
                for text, vector in zip(texts, vectors.tolist(), strict=True)
            ]
        )
