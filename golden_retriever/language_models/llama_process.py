"""The process in which llama.cpp serves a GGUF file; it ends with the process that started it.

Run with ``python -m``. The first line of standard input contains the options as JSON; when the model is loaded, the
address is printed. When the parent process ends, for any reason, standard input closes and this process ends too.
"""

import json
import os
import signal
import sys
import threading
from typing import Any


def main() -> None:
    """Serve until standard input ends."""
    # Ctrl+C in a terminal reaches both processes: the parent lets its answers finish, then stops this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    options = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    server = _load(options)
    print(server.listening_address, flush=True)  # noqa: T201 - the other process waits for this line
    threading.Event().wait()


def _load(options: dict[str, Any]) -> Any:
    from xllamacpp import CommonAdapterLoraInfo, CommonParams, Server

    params = CommonParams()
    params.model.path = options["path"]
    params.model_alias = {options["model"]}
    params.port = 0
    params.api_keys = [options["key"]]
    params.n_parallel = options["slots"]
    params.n_ctx = options["slots"] * options["slot_tokens"]
    params.cpuparams.n_threads = options["threads"]
    params.cpuparams_batch.n_threads = options["threads"]
    # All adapters are loaded; a request applies the one that it names.
    params.lora_adapters = [CommonAdapterLoraInfo(path, 0.0) for path in options["adapters"]]
    # Size of the prompt cache in MiB, in addition to the slots; by default llama.cpp uses up to 8 GiB. The cache does
    # not record which prompts were read with an adapter.
    params.cache_ram_mib = 0 if options["adapters"] else 256
    params.endpoint_metrics = True
    params.ui = False
    params.offline = True
    # Log errors only: other messages accumulate with each request.
    params.verbosity = 1
    return Server(params)


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
