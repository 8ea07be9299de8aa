"""Settings of the server: storage, addresses, people, log, metrics, and how it stops."""

import getpass
import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

from agent.policy import Policy
from golden_retriever.settings.forms import Names

_PORTS = {"http": 80, "https": 443}
# Non-ASCII names are sent as xn--…; an IPv6 address contains colons.
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+", re.ASCII)


class StorageSettings(BaseModel):
    """Where all data is stored."""

    data_dir: Path = Field(
        Path(".golden"), description="The folder that contains everything: SQL, indexes, conversations."
    )
    database_url: str = Field("", description="SQLAlchemy address of the database; empty: SQLite in the data folder.")
    chroma_url: str = Field(
        "", description="A Chroma server for the vectors, such as http://chroma:8000; empty: Chroma in this process."
    )
    dense_index: Literal["chroma", "exact"] = Field("chroma", description="The vector index of the server.")

    @property
    def effective_database_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'golden.db'}"


class ServingSettings(BaseModel):
    """Where the server listens, who may use it, and how much it accepts."""

    host: str = Field("127.0.0.1", description="The address that the server listens on.")
    port: int = Field(7860, ge=0, le=65535, description="The port that the server listens on.")
    trusted_hosts: Names = Field(
        (), description="Host names, comma-separated, under which a proxy serves this; if empty and keys exist: any."
    )
    allowed_origins: Names = Field(
        (),
        description="Origins, comma-separated, such as https://intranet.example, whose pages may ask questions; "
        "empty: only the server's own pages.",
    )
    path_prefix: str = Field(
        "",
        pattern=r"^((/[\w.~-]+)*/?)$",
        description="The path, such as /golden, under which a proxy serves this, if the proxy passes it on.",
    )
    key_requests_per_minute: int = Field(
        600, ge=0, description="Requests per minute that a server process accepts from one key or person; 0: unlimited."
    )
    limits_url: str = Field(
        "",
        description="The Redis, such as redis://host:6379/0, in which all replicas count requests per minute "
        "together; empty: each process counts separately.",
    )
    answer_footer: bool = Field(
        True,
        description="Whether an answer's text ends with its meanings and sources, for clients that show only text.",
    )
    citation_url: str = Field(
        "",
        description="The address of a cited page, such as https://docs.example/{name}#page={page}, with {name}, {id} "
        "or {page}; empty: citations only name documents and pages.",
    )
    max_upload_mb: int = Field(1_024, ge=1, description="Maximum size of one upload of documents, in MiB.")
    upload_quota_mb: int = Field(20_480, ge=1, description="Maximum total size of all stored uploads, in MiB.")

    watched_roots: Names = Field(
        (),
        description="Folders on the server, comma-separated, that can be watched, with their subfolders, from the "
        "documents page and through the API; empty: none.",
    )

    @field_validator("allowed_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(origin_named, value)))

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


class OperatingSettings(BaseModel):
    """How the server is monitored, and how it stops."""

    shutdown_grace_s: float = Field(
        30.0, ge=0, le=3_600, description="Seconds that running answers may still take when the server has to stop."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The lowest severity that the server logs; for libraries it logs only warnings and errors."
    )
    log_format: Literal["", "json", "text"] = Field(
        "", description="The format of the log; empty: text on a terminal, otherwise JSON, one line per event."
    )
    metrics_token: SecretStr = Field(
        SecretStr(""), description="A bearer token that gives access to /metrics only; empty: none."
    )


class PeopleSettings(BaseModel):
    """Who asks, who manages, and which of their data is stored."""

    contact: str = Field(Policy.contact, description="Contact shown when nothing is found.")
    user: str = Field(
        "", description="The name shown for your changes in the dictionary's history; empty: the system's user name."
    )
    keep_questions: bool = Field(
        True,
        description="Whether questions are stored: conversations and answers, and questions with unknown terms and "
        "corrected meanings. If not, conversations are only kept in memory while the process runs.",
    )
    keep_conversations_days: int = Field(
        365, ge=0, le=36_500, description="Days after the last question until a conversation is deleted; 0: never."
    )
    log_questions: bool = Field(
        False, description="Whether the log contains the text of questions; it never contains answers or secrets."
    )
    department: str = Field("", description="Your department, for the command line and the chat.")

    @property
    def effective_user(self) -> str:
        """The name under which the command line changes the dictionary, with its default filled in."""
        if self.user.strip():
            return self.user.strip()
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            # A container may run under a user id that has no name.
            return "somebody"


def origin_named(text: str) -> str:
    """Return an origin as browsers send it: lower case, no default port.

    Raises:
        ValueError: the scheme is not http or https, the host is missing, or there is a path, user name, wildcard, etc.
    """
    form = f"{text!r} is not an origin: write scheme://host or scheme://host:port, such as https://intranet.example"
    try:
        parts = urlsplit(text.lower())
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"{form} ({error})") from None
    # Browsers never send anything beyond scheme, host and port as an origin.
    exact = text.lower() == f"{parts.scheme}://{parts.netloc}" and not parts.netloc.endswith(":")
    if parts.scheme not in _PORTS or not exact or not _HOST.fullmatch(host) or "@" in parts.netloc or port == 0:
        raise ValueError(form)
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")
