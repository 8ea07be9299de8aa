"""The declaration of an exported adapter: the file in GOLDEN_ADAPTERS_DIR that makes an intrinsic use it."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.toml_files import toml_text
from golden_lab.training.data.examples import read_examples
from tools.adapters.declaration import AdapterDeclaration, load_adapter


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedPrompt:
    """The prompt that an adapter of ``intrinsic`` was trained on.

    ``adapter`` is the declaration that contains the frozen prompt. None means the language model's own prompt in
    ``file``, which is also exported so that it does not change.
    """

    intrinsic: str
    adapter: AdapterDeclaration | None = None
    file: Path | None = None

    @property
    def in_messages(self) -> bool:
        """Whether the server's chat template formats the prompt."""
        return self.adapter is None or self.adapter.prompt.convention == "chat"

    @property
    def prompt_file(self) -> Path | None:
        """The prompt file to export."""
        return self.file if self.adapter is None else (self.adapter.prompt_path or self.file)


def check_prompt(prompt: TrainedPrompt, source: str, sha256: str) -> None:
    """Check that the examples of a training run have the same kind of prompt as ``prompt``, if their file is unchanged.

    Raises:
        InvalidInput: the kinds differ, so the declaration would use a prompt that the adapter was not trained on.
    """
    path = Path(source)
    if not source or not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        return
    messages = bool(read_examples(path)[0].messages)
    if messages != prompt.in_messages:
        was, wanted = ("messages", "a frozen prompt") if messages else ("a frozen prompt", "messages")
        raise InvalidInput(
            f"{path.name} was made from {was}, but {prompt.intrinsic} would be asked with {wanted}: use the same "
            "--adapter and --messages options as for golden-lab train intrinsic",
            field="intrinsic",
        )


def write_declaration(
    target: Path, prompt: TrainedPrompt, *, version: str, description: str, model: str, base: str, path: Path, rank: int
) -> None:
    """Write ``target``, and next to it the prompt file that it names.

    Raises:
        ConfigurationError: the names are not valid in a declaration.
    """
    layout: dict[str, Any] = {"convention": "chat"}
    reply: dict[str, Any] = {}
    if prompt.adapter is not None:
        reply = _set(prompt.adapter.reply)
        layout = _set(prompt.adapter.prompt)
    if prompt.in_messages and prompt.prompt_file is not None:
        layout["file"] = f"{prompt.intrinsic}-prompt.toml"
        shutil.copyfile(prompt.prompt_file, target.with_name(layout["file"]))
    values = {
        "version": version,
        "description": description,
        "model": model,
        "base_model": base,
        "weights": {"rank": rank, "path": str(path)},
        "prompt": layout,
        "reply": reply,
    }
    target.write_text(toml_text(values), "utf-8")
    load_adapter(target)


def _set(part: Any) -> dict[str, Any]:
    values: dict[str, Any] = part.model_dump(mode="json")
    # All values are written, so that later changes of defaults have no effect; the convention "chat" accepts no others.
    if values.get("convention") == "chat":
        return {"convention": "chat"}
    return {name: value for name, value in values.items() if name != "file"}
