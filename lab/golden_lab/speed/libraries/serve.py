"""Serves one library to ``golden-lab bench peers``: a JSON request per line on standard input, a JSON reply per line.

The argument names a module in this folder; each module runs in its own environment. Its class is the code that a user
of the library would write: ``__init__(folder, model)`` opens an index, ``add(files)`` reads files into it,
``search(question, count)`` returns the best passages as (file name, text), and ``close()``, if it exists, stores
unsaved data. Two methods serve only the measurement: ``load(texts, vectors)`` adds passages with given vectors, and
``passages()`` counts the passages in the index.
"""

import importlib
import json
import os
import sys
import time
from typing import Any


def serve(library: type) -> None:
    """Call the method named in each request (field ``do``) with the other fields; reply with result and seconds."""
    # Output that the libraries print must not mix with the replies.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    opened: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        method = request.pop("do")
        if method == "load":
            request = _read_passages(**request)
        begun = time.perf_counter()
        try:
            if method == "open":
                opened = library(**request)
            done = method == "open" or (method == "close" and not hasattr(opened, method))
            result = None if done else getattr(opened, method)(**request)
            reply = {"result": result, "seconds": time.perf_counter() - begun}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        replies.write(f"{json.dumps(reply)}\n")
        replies.flush()


def _read_passages(texts: str, vectors: str) -> dict[str, Any]:
    import numpy as np

    with open(texts, encoding="utf-8") as file:
        return {"texts": json.load(file), "vectors": np.load(vectors)}


if __name__ == "__main__":
    serve(importlib.import_module(sys.argv[1]).Library)
