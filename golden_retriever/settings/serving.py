"""Settings of the server: where it listens, whom it lets in, how much it takes."""

from pydantic import BaseModel, Field


class ServingSettings(BaseModel):
    """Where the server listens, whom it lets in, how much it takes."""

    host: str = Field("127.0.0.1", description="The address that the server listens on.")
    port: int = Field(7860, ge=0, le=65535, description="The port that the server listens on.")
    trusted_hosts: str = Field(
        "",
        description="Host names, comma-separated, under which a proxy serves this; with keys, and empty: any name.",
    )
    key_requests_per_minute: int = Field(
        600, ge=0, description="Requests a minute that a server process takes of one API key; 0: any number."
    )
    key_requests_at_once: int = Field(
        64, ge=0, description="Requests of one API key that a server process has under way at once; 0: any number."
    )
    ingest_folders: str = Field(
        "", description="Folders of this machine, joined like PATH, whose files may be ingested over HTTP; empty: none."
    )
    max_upload_mb: int = Field(1_024, ge=1, description="How large one upload of documents may be, in MiB.")
