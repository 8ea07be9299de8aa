"""Settings of where everything is kept."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field


class StorageSettings(BaseModel):
    """Where everything is kept."""

    data_dir: Path = Field(
        Path(".golden"), description="The folder that holds everything: SQL, indexes, conversations."
    )
    database_url: str = Field("", description="SQLAlchemy address of the database; empty: SQLite in the data folder.")
    passage_vectors_mb: int = Field(
        1024,
        ge=0,
        description=(
            "Megabytes on disk, at most, for vectors of passages that are made between questions, so that a question "
            "about passages that nobody asked about before takes no longer; 0: none."
        ),
    )
    chroma_url: str = Field(
        "", description="A Chroma server for the vectors, such as http://chroma:8000; empty: Chroma in this process."
    )
    dense_index: Literal["chroma", "exact"] = Field("chroma", description="The vector index of the server.")

    @property
    def effective_database_url(self) -> str:
        """The database's address, with its default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'golden.db'}"
