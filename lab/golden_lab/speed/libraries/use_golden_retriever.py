"""The code that a user of Golden Retriever writes."""

from golden_retriever import GoldenRetriever


class Library:
    """An index over files."""

    def __init__(self, folder, model):
        self.bot = GoldenRetriever(folder)

    def add(self, files):
        self.bot.ingest(*files)

    def search(self, question, count):
        return [(hit.document_name, hit.text) for hit in self.bot.search(question, top_k=count)]

    def close(self):
        self.bot.close()

    def passages(self):
        return self.bot._bot._application.store.count_passages()

    def load(self, texts, vectors):
        from contracts.text import Chunk, Document

        application = self.bot._bot._application
        for start in range(0, len(texts), 100):
            name, part = f"copy-{start}", slice(start, start + 100)
            document = Document(
                id=name, name=name, path=name, media_type="text/plain", content_hash=name, title="", pages=1
            )
            chunks = [
                Chunk(id=f"{name}-{at}", document_id=name, kind="passage", ordinal=at, text=text, page=1, last_page=1)
                for at, text in enumerate(texts[part])
            ]
            application.store.replace_document(document, chunks, vectors[part], embedder=application.embedder.name)
