"""The code that a user of LlamaIndex writes, following its starter tutorial with local models."""

from pathlib import Path

from llama_index.core import Settings, SimpleDirectoryReader, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.schema import TextNode
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.readers.file import HTMLTagReader


class Library:
    """An index over files."""

    def __init__(self, folder, model):
        Settings.embed_model = HuggingFaceEmbedding(model_name=model)
        self.folder = folder
        if Path(folder, "docstore.json").exists():
            self.index = load_index_from_storage(StorageContext.from_defaults(persist_dir=folder))
        else:
            self.index = VectorStoreIndex([])

    def add(self, files):
        reader = SimpleDirectoryReader(input_files=files, file_extractor={".html": HTMLTagReader(tag="body")})
        nodes = Settings.node_parser.get_nodes_from_documents(reader.load_data())
        self.index.insert_nodes(nodes)

    def search(self, question, count):
        found = self.index.as_retriever(similarity_top_k=count).retrieve(question)
        return [(each.metadata["file_name"], each.text) for each in found]

    def close(self):
        self.index.storage_context.persist(self.folder)

    def passages(self):
        return len(self.index.docstore.docs)

    def load(self, texts, vectors):
        self.index.insert_nodes(
            [
                TextNode(text=text, embedding=vector, metadata={"file_name": "copy"})
                for text, vector in zip(texts, vectors.tolist(), strict=True)
            ]
        )
