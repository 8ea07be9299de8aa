"""Settings of documents, language models and answers."""

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr, ValidationInfo, field_validator

from agent.policy import Policy
from golden_retriever.language_models.addresses import LlmAddress, read_address
from golden_retriever.profiles import Profile, read_exceptions
from golden_retriever.settings.forms import JsonObject


class DocumentSettings(BaseModel):
    """How documents are read and found."""

    embedding_model: str = Field(
        "", description="Folder or name of a sentence-transformers model; empty: all-MiniLM-L6-v2 on ONNX Runtime."
    )
    ocr_language: str = Field("eng", description="Tesseract's language codes, joined with +.")
    summaries: bool = Field(
        True,
        description="Whether to summarise sections at ingestion and search the summaries; changing it rereads files.",
    )
    workers: int = Field(0, ge=0, le=4_096, description="Number of processes that read files; 0: one per core.")
    ingest_engine: Literal["local", "ray"] = Field(
        "local",
        description="Where files are read: in processes on this machine, or on a Ray cluster (the one in RAY_ADDRESS, "
        "or one started here).",
    )


# Request fields that the judgements set themselves.
_OWN_FIELDS = frozenset({"model", "messages", "stream", "response_format", "logprobs", "top_logprobs", "stop"})


class LanguageModelSettings(BaseModel):
    """The chat servers, and what runs on them."""

    llm: str = Field(
        "",
        description="The language model: ollama:NAME, lmstudio:NAME, vllm:URL#NAME, openai:NAME, URL#NAME, or a .gguf "
        "file; empty: none.",
    )
    llm_api_key: SecretStr = Field(
        SecretStr(""), description="The key for its server, if it needs one; empty with openai: OPENAI_API_KEY."
    )
    llm_timeout_s: float = Field(
        60.0, gt=0, description="Seconds to wait for its complete reply or, in a stream, for the next piece."
    )
    llm_question_timeout_s: float = Field(
        Policy.llm_timeout_s,
        gt=0,
        description="Seconds that all calls of one question may take together, counted from when they are sent; "
        "the embedded engine does the rest.",
    )
    llm_retries: int = Field(
        2, ge=0, le=10, description="How often a call is retried if the server is busy, unreachable or breaks off."
    )
    llm_calls_at_once: int = Field(
        4, ge=1, le=1_000, description="Number of concurrent calls to that server; further calls wait."
    )
    llm_max_context_tokens: int = Field(
        0, ge=0, description="Maximum tokens of prompt and reply together; 0: the limit that the server reports."
    )
    llm_extra_body: JsonObject = Field(
        {},
        description="A JSON object that is added to every chat request, for options beyond OpenAI's protocol, "
        'such as {"chat_template_kwargs": {"enable_thinking": false}}.',
    )
    profile: Profile = Field(
        "balanced",
        description="What runs on the LLM if one is set: nothing (embedded), writing (balanced), "
        "or also the judgements of a question (quality).",
    )
    engines: str = Field(
        "", description="Exceptions from the profile, such as term_mining=llm,summarisation=embedded; empty: none."
    )
    adapters_dir: Path | None = Field(
        None,
        description="A folder with your own adapter files, such as answerability.toml; they override published ones.",
    )
    degrade: Literal["embedded", "refuse"] = Field(
        "embedded", description="If the LLM does not answer: fall back to the embedded engine, or refuse (503)."
    )

    @field_validator("engines", mode="before")
    @classmethod
    def _as_pairs(cls, value: Any) -> Any:
        # A TOML file may contain them as a table.
        return ",".join(f"{name}={engine}" for name, engine in value.items()) if isinstance(value, dict) else value

    @field_validator("llm_extra_body")
    @classmethod
    def _leaves_our_fields(cls, value: dict[str, Any]) -> dict[str, Any]:
        if ours := sorted(_OWN_FIELDS & value.keys()):
            raise ValueError(f"may not set {', '.join(ours)}: the judgements set that themselves")
        return value

    @field_validator("profile", "engines")
    @classmethod
    def _can_be_served(cls, value: str, info: ValidationInfo) -> str:
        asked = (
            value == "quality" if info.field_name == "profile" else set(read_exceptions(value).values()) - {"embedded"}
        )
        if asked and info.data.get("llm") == "":
            raise ValueError("needs a language model: set GOLDEN_LLM, for instance GOLDEN_LLM=ollama:qwen3:4b")
        return value

    @field_validator("llm")
    @classmethod
    def _names_a_model(cls, value: str) -> str:
        if value.strip():
            read_address(value)
        return value.strip()

    @property
    def llm_address(self) -> LlmAddress | None:
        """The address of the language model; None without one."""
        return read_address(self.llm) if self.llm else None

    @property
    def llm_model(self) -> str:
        """The model's name on its server; "": the first model that the server lists."""
        return self.llm_address.model if self.llm_address else ""

    @property
    def llm_key(self) -> str:
        """The key for the model's server, or "". OPENAI_API_KEY is used only for OpenAI's own server."""
        own = self.llm_api_key.get_secret_value()
        is_openai = self.llm_address is not None and self.llm_address.kind == "openai"
        return own or (os.environ.get("OPENAI_API_KEY", "") if is_openai else "")


RefinementSetting = Literal["auto", "overlap", "none"]


class AnsweringSettings(BaseModel):
    """How much is read for an answer, when a question is answered, and when a draft is rewritten."""

    top_k: int = Field(Policy.top_k, ge=1, le=50, description="Number of passages that the writer sees.")
    answerability_threshold: float = Field(
        Policy.answerability_threshold,
        ge=0,
        le=1,
        description="Below this probability the bot only quotes the closest passages.",
    )
    refinement: RefinementSetting = Field(
        "auto",
        description="When a language model's draft is rewritten, once: if retrieval looks noisy and the draft "
        "overlaps too little with its passages (auto), whenever it overlaps too little (overlap), or never (none).",
    )
    refinement_threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="The overlap (share of content words found in the passages) below which a draft is rewritten; "
        "empty: 0.65. golden-lab calibrate refinement finds the value for your own answers.",
    )

    cross_encoder: Path | None = Field(
        None,
        description="The folder of a cross-encoder that you trained (golden-lab train cross-encoder); empty: the "
        "included one.",
    )
