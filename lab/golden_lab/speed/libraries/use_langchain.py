"""The code that a user of LangChain with Chroma writes, following its tutorial on semantic search."""

from pathlib import Path

from langchain_chroma import Chroma
from langchain_community.document_loaders import BSHTMLLoader
from langchain_huggingface import HuggingFaceEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter


class Library:
    """An index over files."""

    def __init__(self, folder, model):
        self.store = Chroma(embedding_function=HuggingFaceEmbeddings(model_name=model), persist_directory=folder)
        self.splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)

    def add(self, files):
        documents = [page for file in files for page in BSHTMLLoader(file).load()]
        passages = self.splitter.split_documents(documents)
        self.store.add_documents(passages)

    def search(self, question, count):
        found = self.store.similarity_search(question, k=count)
        return [(Path(each.metadata["source"]).name, each.page_content) for each in found]

    def passages(self):
        return self.store._collection.count()

    def load(self, texts, vectors):
        for start in range(0, len(texts), 5_000):
            part = slice(start, start + 5_000)
            self.store._collection.add(
                ids=[str(start + at) for at in range(len(texts[part]))],
                embeddings=vectors[part],
                documents=texts[part],
                metadatas=[{"source": "copy"}] * len(texts[part]),
            )
