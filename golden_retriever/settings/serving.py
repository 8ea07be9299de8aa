"""Settings of the server: where it listens, whom it lets in, how much it takes."""

import re

from pydantic import BaseModel, Field, field_validator


class ServingSettings(BaseModel):
    """Where the server listens, whom it lets in, how much it takes."""

    host: str = Field("127.0.0.1", description="The address that the server listens on.")
    port: int = Field(7860, ge=0, le=65535, description="The port that the server listens on.")
    trusted_hosts: str = Field(
        "",
        description="Host names, comma-separated, under which a proxy serves this; with keys, and empty: any name.",
    )
    allowed_origins: str = Field(
        "",
        description="Origins, comma-separated, such as https://intranet.example, whose pages may ask from a browser; "
        "empty: only the server's own.",
    )
    path_prefix: str = Field(
        "",
        pattern=r"^((/[\w.~-]+)*/?)$",
        description="The path, such as /golden, under which a proxy serves this, if the proxy passes it on.",
    )
    key_requests_per_minute: int = Field(
        600, ge=0, description="Requests a minute that a server process takes of one key or person; 0: any number."
    )
    key_requests_at_once: int = Field(
        64, ge=0, description="Requests of one key or person that a server process has under way; 0: any number."
    )
    key_upload_mb_at_once: int = Field(
        2_048,
        ge=0,
        description="MiB in uploads of one key or person that a server process has under way at once; 0: any number.",
    )
    limits_url: str = Field(
        "",
        description="The Redis, such as redis://host:6379/0, in which all replicas count the requests of a minute "
        "together; empty: each process counts its own.",
    )
    answer_footer: bool = Field(
        True,
        description="Whether an answer's text ends with its readings and sources, for clients that show nothing else.",
    )
    citation_url: str = Field(
        "",
        description="Where people open a cited page, such as https://docs.example/{name}#page={page}; of {name}, {id} "
        "and {page}; empty: citations name documents and pages.",
    )
    ingest_folders: str = Field(
        "", description="Folders of this machine, joined like PATH, whose files may be ingested over HTTP; empty: none."
    )
    max_upload_mb: int = Field(1_024, ge=1, description="How large one upload of documents may be, in MiB.")

    @field_validator("allowed_origins")
    @classmethod
    def _are_origins(cls, value: str) -> str:
        # Imported here: commands that do not serve need none of the server.
        from serving.origin_names import origins_named_in

        return ",".join(origins_named_in(value)) if value.strip() else ""

    @field_validator("citation_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        unknown = set(re.findall(r"{([^}]*)}", value)) - {"name", "id", "page"}
        if unknown:
            raise ValueError(f"there is no {{{min(unknown)}}}: use {{name}}, {{id}} and {{page}}")
        return value

    @field_validator("path_prefix")
    @classmethod
    def _has_no_end(cls, value: str) -> str:
        return value.rstrip("/")

    @property
    def origins(self) -> tuple[str, ...]:
        """The allowed origins, one by one, spelled as browsers do."""
        return tuple(each for each in self.allowed_origins.split(",") if each)
