"""A GGUF file, served by llama.cpp in a separate process."""

import asyncio
import importlib.util
import json
import os
import re
import secrets
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from contracts.errors import ConfigurationError
from golden_retriever.language_models import llama_process
from tools.cores import usable_cores

_INSTALL = "pip install 'golden-retriever-bot[local]'"
_MAGIC = b"GGUF"
_SLOTS = 2
# Tokens per slot, more than a question's prompts need; llama.cpp uses fewer if the model was trained on fewer.
_SLOT_TOKENS = 8_192
_ENDS_S = 10.0
_OUT_OF_MEMORY = ("failed to allocate", "unable to allocate", "out of memory", "bad_alloc")
_KILLED = -9
_REASON = re.compile(r"(?:error loading model|failed to apply lora adapter): (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A running server: its base URL, the key that it requires, the model's name there, and how long it took to load.

    It works on ``slots`` requests at the same time.
    """

    base_url: str
    key: str
    model: str
    slots: int
    load_s: float


@asynccontextmanager
async def serving_file(
    path: Path, *, adapters: Sequence[Path] = (), slots: int = _SLOTS, max_context_tokens: int = 0
) -> AsyncIterator[LocalServer]:
    """Serve the GGUF file at ``path`` on a free loopback port for the duration of the block, with its own key.

    ``slots`` requests are processed at the same time, each with a prompt and a reply of up to ``max_context_tokens``
    (0: 8192). ``adapters`` are files of LoRA adapters for it; a request applies one of them or none.

    Raises:
        ConfigurationError: a file is missing, broken or too large for the memory, or llama.cpp is not installed.
    """
    await asyncio.to_thread(_check, path)
    begun = time.monotonic()
    tokens = max_context_tokens or _SLOT_TOKENS
    key = secrets.token_urlsafe(24)
    # One core is left for everything else: one thread fewer is faster than threads that wait for each other.
    threads = max(1, usable_cores() - 1)
    options = {"path": str(path), "model": path.stem, "key": key, "slots": slots, "slot_tokens": tokens}
    options |= {"adapters": [str(each) for each in adapters], "threads": threads}
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            llama_process.__name__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            # It finds the same packages as this process, including those of a notebook or a test.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(options).encode() + b"\n")
            address = (await process.stdout.readline()).decode().strip()
            if not address:
                raise _not_loaded(path, slots * tokens, await process.wait(), log)
            yield LocalServer(
                base_url=f"{address}/v1", key=key, model=path.stem, slots=slots, load_s=time.monotonic() - begun
            )
        finally:
            await _end(process)


def _check(path: Path) -> None:
    if not path.is_file():
        raise ConfigurationError(f"There is no file {path}: GOLDEN_LLM or --model takes the path of a GGUF file.")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror or error}.") from error
    if magic != _MAGIC:
        raise ConfigurationError(f"{path} is not a GGUF file: it does not begin with the letters GGUF.")
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigurationError(f"Serving a GGUF file requires llama.cpp, which is not installed: {_INSTALL}")


def _not_loaded(path: Path, tokens: int, status: int, log: IO[bytes]) -> ConfigurationError:
    log.seek(0)
    said = log.read().decode("utf-8", "replace")
    if status == _KILLED or any(words in said.lower() for words in _OUT_OF_MEMORY):
        size_gb = path.stat().st_size / 1e9
        return ConfigurationError(
            f"{path} needs more memory than is free here: {size_gb:.1f} GB for the file, and more for "
            f"{tokens} tokens of prompts and replies. Use a smaller file, or set GOLDEN_LLM_MAX_CONTEXT_TOKENS lower."
        )
    lines = [_REASON.search(line) for line in said.splitlines()]
    reason = next((line[1] for line in lines if line), "") or " ".join(said.splitlines()[-1:]) or f"status {status}"
    return ConfigurationError(f"llama.cpp cannot load {path}: {reason}.")


async def _end(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_ENDS_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
