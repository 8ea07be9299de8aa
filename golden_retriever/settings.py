"""Settings: from the environment (``GOLDEN_…``) or one TOML file, validated once, read only in the wiring."""

import getpass
import json
import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from contracts.errors import ConfigurationError
from golden_retriever.profiles import Profile, read_exceptions

CONFIG_VARIABLE = "GOLDEN_CONFIG"

# What the judgements put into a request themselves.
_OWN_FIELDS = frozenset({"model", "messages", "stream", "response_format", "logprobs", "top_logprobs", "stop"})


class Settings(BaseSettings):
    """Every setting, with its default. ``GOLDEN_DATA_DIR`` sets ``data_dir``, and so on.

    A TOML file named by ``GOLDEN_CONFIG`` (or ``golden.toml`` in the current folder) may hold the same names in lower
    case; the environment wins over it.
    """

    model_config = SettingsConfigDict(env_prefix="GOLDEN_", extra="forbid", env_ignore_empty=True)

    data_dir: Path = Field(
        Path(".golden"), description="The folder that holds everything: SQL, indexes, conversations."
    )
    database_url: str = Field("", description="SQLAlchemy address of the database; empty: SQLite in the data folder.")
    dense_index: Literal["chroma", "exact"] = Field("chroma", description="The vector index of the server.")
    embedding_model: str = Field(
        "", description="Folder or name of a sentence-transformers model; empty: all-MiniLM-L6-v2 on ONNX Runtime."
    )
    embedding_runtime: Literal["onnx", "openvino"] = Field(
        "onnx",
        description="What computes all-MiniLM-L6-v2: ONNX Runtime, or OpenVINO (extra openvino), twice as fast on "
        "processors with avx512_bf16 or AMX; documents are embedded again when it changes the vectors.",
    )
    ocr_engine: Literal["tesseract", "rapidocr"] = Field(
        "tesseract", description="What reads scanned pages; where tesseract is not installed and rapidocr is: that."
    )
    ocr_language: str = Field("eng", description="Tesseract's language codes, joined with +.")
    ocr_dpi: int = Field(200, ge=100, le=600, description="Resolution at which scanned pages are read first.")
    ocr_least_confidence: float = Field(
        0.6, ge=0, le=1, description="Scanned pages read less surely than this are listed as poor pages."
    )
    summaries: bool = Field(
        True,
        description="Whether sections are summarised at ingestion, and found by it; changed, files are read again.",
    )
    workers: int = Field(0, ge=0, le=4_096, description="Processes that read files; 0: one a core.")
    ingest_engine: Literal["local", "ray"] = Field(
        "local", description="Where files are read: in processes of this machine, or on a Ray cluster."
    )
    ray_address: str = Field(
        "",
        description="The Ray cluster: auto, or ray://host:10001; empty: that of RAY_ADDRESS, or one started here.",
    )

    llm_base_url: str = Field(
        "",
        description="An OpenAI-compatible server, such as http://gpu-box:8000/v1, or several with the same models, "
        "comma-separated; empty: none.",
    )
    llm_model: str = Field("", description="The model's name on that server; empty: the first it lists.")
    llm_api_key: SecretStr = Field(SecretStr(""), description="The key for that server, if it wants one.")
    llm_connect_timeout_s: float = Field(
        5.0, gt=0, description="How long to wait for that server's connection, in seconds."
    )
    llm_timeout_s: float = Field(
        60.0, gt=0, description="How long to wait for its whole reply, in a stream for each next piece, in seconds."
    )
    llm_stream_timeout_s: float = Field(300.0, gt=0, description="How long a streamed reply may take, in seconds.")
    llm_retries: int = Field(
        2, ge=0, le=10, description="How often a call is tried again when that server is busy, away or breaks off."
    )
    llm_max_context_tokens: int = Field(
        0, ge=0, description="Tokens of prompt and reply that the model takes; 0: what the server tells."
    )
    llm_tokenizer: str = Field(
        "", description="The model's tokenizer.json, or its folder, to count tokens with; empty: an estimate."
    )
    llm_extra_body: str = Field(
        "",
        description="A JSON object that goes into every chat request, for what it takes beyond OpenAI's protocol, "
        'such as {"chat_template_kwargs": {"enable_thinking": false}}; empty: nothing.',
    )
    llm_cache_entries: int = Field(
        512, ge=0, description="Replies of that server that a process keeps for identical requests; 0: none."
    )
    profile: Profile = Field(
        "balanced",
        description="What runs on the LLM where one is set: nothing (embedded), what is written and close verdicts "
        "(balanced), or every judgement (quality).",
    )
    engines: str = Field(
        "",
        description="Exceptions from the profile, such as term_mining=llm,summarisation=embedded; empty: none.",
    )
    adapters_dir: Path | None = Field(
        None,
        description="A folder of adapter files of your own, such as answerability.toml; they win over the published.",
    )
    vllm_model: str = Field(
        "",
        description="The base model that golden vllm command serves, a name or a folder; empty: that of the adapters.",
    )
    vllm_adapters_root: str = Field(
        "adapters", description="The folder of that machine into which the adapters' weights are downloaded."
    )
    vllm_tensor_parallel: int = Field(1, ge=1, le=1_024, description="GPUs over which vLLM spreads the model.")
    vllm_quantization: str = Field(
        "", pattern=r"^[\w-]*$", description="vLLM's quantisation, such as fp8; empty: as the model is stored."
    )
    degrade: Literal["embedded", "refuse"] = Field(
        "embedded", description="When the LLM does not answer: fall back to the embedded engine, or refuse (503)."
    )

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
    contact: str = Field("the knowledge base manager", description="Whom to ask about unknown terms.")
    user: str = Field("", description="Who changes the dictionary, for its history; empty: the system's user name.")
    keep_questions: bool = Field(
        True, description="Whether askers' questions are kept with unknown terms and with corrected readings."
    )
    department: str = Field("", description="The asker's department, for the command line and the chat.")

    top_k: int = Field(8, ge=1, le=50, description="Passages that the writer sees.")
    candidates: int = Field(16, ge=1, le=500, description="Passages that retrieval brings for reranking.")
    answerability_threshold: float = Field(0.5, ge=0, le=1, description="Below this probability the bot declines.")

    @field_validator("engines", mode="before")
    @classmethod
    def _as_pairs(cls, value: Any) -> Any:
        # A TOML file may hold them as a table.
        return ",".join(f"{name}={engine}" for name, engine in value.items()) if isinstance(value, dict) else value

    @field_validator("llm_extra_body", mode="before")
    @classmethod
    def _as_json(cls, value: Any) -> Any:
        # A TOML file may hold it as a table.
        return json.dumps(value) if isinstance(value, dict) else value

    @field_validator("llm_extra_body")
    @classmethod
    def _is_an_object(cls, value: str) -> str:
        try:
            read = json.loads(value) if value.strip() else {}
        except ValueError as error:
            raise ValueError(f"is not JSON: {error}") from error
        if not isinstance(read, dict):
            raise ValueError('is not a JSON object, such as {"chat_template_kwargs": {"enable_thinking": false}}')
        ours = sorted(_OWN_FIELDS & read.keys())
        if ours:
            raise ValueError(f"may not set {', '.join(ours)}: the judgements set that themselves")
        return value

    @field_validator("profile", "engines")
    @classmethod
    def _can_be_served(cls, value: str, info: ValidationInfo) -> str:
        asked = (
            value == "quality" if info.field_name == "profile" else set(read_exceptions(value).values()) - {"embedded"}
        )
        if asked and info.data.get("llm_base_url") == "":
            raise ValueError("needs a chat server: set GOLDEN_LLM_BASE_URL")
        return value

    @field_validator("llm_base_url")
    @classmethod
    def _has_a_scheme(cls, value: str) -> str:
        addresses = [address.strip().rstrip("/") for address in value.split(",") if address.strip()]
        if not all(address.startswith(("http://", "https://")) for address in addresses):
            raise ValueError("each address must begin with http:// or https://")
        return ",".join(dict.fromkeys(addresses))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, the environment, the TOML file."""
        sources: tuple[PydanticBaseSettingsSource, ...] = (init_settings, env_settings)
        path = config_file()
        return (*sources, TomlConfigSettingsSource(settings_cls, toml_file=path)) if path else sources

    @property
    def llm_extra(self) -> dict[str, Any]:
        """What goes into every chat request besides our own fields."""
        return dict(json.loads(self.llm_extra_body)) if self.llm_extra_body.strip() else {}

    @property
    def llm_base_urls(self) -> tuple[str, ...]:
        """The chat servers' addresses, one by one."""
        return tuple(address for address in self.llm_base_url.split(",") if address)

    @property
    def effective_database_url(self) -> str:
        """The database's address, with its default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'golden.db'}"

    @property
    def effective_user(self) -> str:
        """The name under which the command line changes the dictionary, with its default filled in."""
        if self.user.strip():
            return self.user.strip()
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            # A container may run under a number that has no name.
            return "somebody"


def config_file() -> Path | None:
    """Return the TOML file in force, or None.

    Raises:
        ConfigurationError: ``GOLDEN_CONFIG`` names a file that is not there.
    """
    named = os.environ.get(CONFIG_VARIABLE, "")
    if named:
        if not Path(named).is_file():
            raise ConfigurationError(f"{CONFIG_VARIABLE} names {named}, which is not a file: correct it or unset it")
        return Path(named)
    default = Path("golden.toml")
    return default if default.is_file() else None


def load_settings(**overrides: Any) -> Settings:
    """Read and check the settings; ``overrides`` win over every source.

    Raises:
        ConfigurationError: naming each setting that is wrong, and why.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = "; ".join(_describe(each["loc"], each["msg"]) for each in error.errors())
        raise ConfigurationError(f"settings: {problems}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{config_file()} is not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{config_file()} cannot be read: {error.strerror or error}") from error


def _describe(location: tuple[int | str, ...], message: str) -> str:
    name = ".".join(str(part) for part in location)
    return f"GOLDEN_{name.upper()} (or {name} in the TOML file): {message}"


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Return the folder for what can be made again, such as the model's ONNX graph; it is created.

    Raises:
        ConfigurationError: it cannot be made.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "golden-retriever"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the cache folder {folder} cannot be made ({error.strerror or error}): set XDG_CACHE_HOME to another place"
        ) from error
    return folder
