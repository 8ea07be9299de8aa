"""The declaration of an adapter, in ``adapter.toml`` next to an intrinsic or in an operator's file that replaces it."""

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from contracts.errors import ConfigurationError
from tools.toml_files import read_toml

_STRICT = ConfigDict(extra="forbid", frozen=True)
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._/-]*$"


class AdapterWeights(BaseModel):
    """Where an adapter's weights are: a ``folder`` in a model hub ``repository``, or a ``path`` on the server.

    Without a ``folder``, the adapter is at the root of the repository. ``rank`` is the rank of the low-rank matrices.
    """

    model_config = _STRICT

    rank: int = Field(ge=1, le=512)
    repository: str = Field("", pattern=r"^$|^[\w.-]+/[\w.-]+$")
    folder: str = Field("", pattern=r"^$|^[\w.-]+(?:/[\w.-]+)*$")
    path: str = ""

    @model_validator(mode="after")
    def _check_location(self) -> "AdapterWeights":
        if bool(self.path) == bool(self.repository):
            raise ValueError("set either path, or repository (with folder), so that the weights can be found")
        if self.folder and not self.repository:
            raise ValueError("folder requires a repository: set both")
        return self


class AdapterPrompt(BaseModel):
    """The frozen prompt of an adapter, in one of three conventions.

    ``chat``: the adapter was trained on messages. ``file`` is its prompt file (see ``tools.prompts``), relative to the
    declaration; "" means the prompt file of the intrinsic. ``granite-3.3``: the conversation is formatted with the chat
    template of Granite 3.3, and the prompt ends with the adapter's own role. ``chatml``: the same with the ChatML
    format, for models such as SmolLM2 and Qwen; it has no default system message.

    invocation: with ``role``, the prompt ends with the role ``role``, followed by ``instruction`` if there is one. With
    ``system``, it ends with a system message that contains ``instruction``, followed in chatml by the beginning of the
    assistant's message.
    system: ``default`` adds the base model's own system message at the beginning; ``none`` does not.
    documents: ``before`` the conversation, ``after`` it, or ``none``.
    repeat_as: the role under which the last question is repeated after the conversation; "": not repeated.
    answer_mark, passage_mark: the letter of the marks before sentences ("r" for ``<r0>``, "c" for ``<c0>``); "": none.
    """

    model_config = _STRICT

    convention: Literal["chat", "granite-3.3", "chatml"]
    file: str = ""
    invocation: Literal["role", "system"] = "role"
    role: str = Field("", pattern=r"^\w*$")
    instruction: str = ""
    system: Literal["default", "none"] = "default"
    documents: Literal["before", "after", "none"] = "none"
    repeat_as: str = Field("", pattern=r"^\w*$")
    answer_mark: str = Field("", pattern=r"^[a-z]?$")
    passage_mark: str = Field("", pattern=r"^[a-z]?$")

    @model_validator(mode="after")
    def _fits_together(self) -> "AdapterPrompt":
        if self.convention == "chat":
            given = sorted(self.model_fields_set - {"convention", "file"})
            if given:
                raise ValueError(f"{', '.join(given)}: not allowed in the convention chat, whose prompt is in file")
        elif self.file:
            raise ValueError("file: allowed only in the convention chat")
        elif self.invocation == "role" and not self.role:
            raise ValueError("role: required for the invocation role")
        elif self.invocation == "system" and (self.role or not self.instruction):
            raise ValueError("instruction: required for the invocation system, without a role")
        elif self.convention == "chatml" and self.system == "default":
            raise ValueError('system: the convention chatml has no default message: set it to "none"')
        return self


class AdapterReply(BaseModel):
    """The reply of an adapter: the names of its ``fields`` and ``labels`` by our names.

    If ``json_schema`` is true, the server is asked to enforce a JSON schema made from the fields.
    """

    model_config = _STRICT

    max_tokens: int = Field(256, ge=1, le=16_384)
    json_schema: bool = False
    fields: Mapping[str, str] = Field(default_factory=dict)
    labels: Mapping[str, str] = Field(default_factory=dict)


class AdapterDeclaration(BaseModel):
    """An adapter: ``model`` is its name on the server, and ``base_model`` is the model it was trained on."""

    model_config = _STRICT

    version: str = Field(min_length=1)
    description: str = Field(min_length=1)
    model: str = Field(pattern=_NAME)
    base_model: str = Field(pattern=_NAME)
    source: str = ""
    weights: AdapterWeights
    prompt: AdapterPrompt
    reply: AdapterReply = Field(default_factory=lambda: AdapterReply(max_tokens=256))
    _path: Path = PrivateAttr(Path("adapter.toml"))
    _today: Callable[[], datetime.date] = PrivateAttr(datetime.date.today)

    @property
    def path(self) -> Path:
        return self._path

    @property
    def today(self) -> Callable[[], datetime.date]:
        """The date in a frozen prompt: the current day, unless a date was set with ``dated``."""
        return self._today

    def dated(self, day: datetime.date) -> "AdapterDeclaration":
        """Return the same adapter with ``day`` in its prompts, for prompts that are not sent today."""
        adapter = self.model_copy()
        adapter._today = lambda: day
        return adapter

    @property
    def prompt_path(self) -> Path | None:
        """The prompt file for the convention chat; None means the prompt file of the intrinsic."""
        return self._path.parent / self.prompt.file if self.prompt.file else None

    def field(self, meaning: str) -> str:
        """Return the name of the field in the reply for ``meaning``.

        Raises:
            ConfigurationError: the file does not define it.
        """
        if meaning not in self.reply.fields:
            raise ConfigurationError(f"The adapter file {self._path} lacks reply.fields.{meaning}: name that field.")
        return self.reply.fields[meaning]

    def labels(self, *ours: str) -> tuple[str, ...]:
        """Return the adapter's words for our labels ``ours``, in their order.

        Raises:
            ConfigurationError: the file does not define it.
        """
        missing = [label for label in ours if label not in self.reply.labels]
        if missing:
            raise ConfigurationError(
                f"The adapter file {self._path} lacks reply.labels.{missing[0]}: add the adapter's word for this label."
            )
        return tuple(self.reply.labels[label] for label in ours)


def load_adapter(path: Path) -> AdapterDeclaration:
    """Read an adapter file. Raises the same errors as ``read_toml``."""
    adapter = read_toml(path, AdapterDeclaration, what="adapter")
    adapter._path = path
    return adapter


def find_adapter(intrinsic: str, published: Path, own: Path | None = None) -> AdapterDeclaration | None:
    """Return the adapter of ``intrinsic``, from ``<intrinsic>.toml`` in the folder ``own`` or else from ``published``.

    Return None if neither file exists.

    Raises:
        ConfigurationError: ``own`` is not a folder, or the file does not declare an adapter.
    """
    if own is not None and not own.is_dir():
        raise ConfigurationError(f"The adapter folder {own} does not exist: create it, or correct GOLDEN_ADAPTERS_DIR.")
    for path in (own / f"{intrinsic}.toml" if own is not None else None, published):
        if path is not None and path.is_file():
            return load_adapter(path)
    return None
