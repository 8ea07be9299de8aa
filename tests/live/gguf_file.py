"""Writing GGUF, the file format of llama.cpp's models: a header, named values, named arrays of numbers."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

GgufValue = str | bool | int | float | Sequence[str] | Sequence[int]

_VERSION = 3
_ALIGNMENT = 32
# The format's numbers for kinds of values, and for arrays of 32-bit floats.
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_F32 = 0


def write_gguf(path: Path, values: Mapping[str, GgufValue], tensors: Mapping[str, NDArray[np.float32]]) -> None:
    """Write a model file. A matrix has the shape (outputs, inputs); the format itself counts dimensions backwards.

    Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.
    """
    head = [struct.pack("<4sIQQ", b"GGUF", _VERSION, len(tensors), len(values))]
    head += [_string(name) + _typed(value) for name, value in values.items()]
    bodies = []
    offset = 0
    for name, tensor in tensors.items():
        body = _padded(tensor.astype("<f4").tobytes())
        dimensions = struct.pack(f"<{tensor.ndim}Q", *reversed(tensor.shape))
        head.append(_string(name) + struct.pack("<I", tensor.ndim) + dimensions + struct.pack("<IQ", _F32, offset))
        bodies.append(body)
        offset += len(body)
    path.write_bytes(_padded(b"".join(head)) + b"".join(bodies))


def _typed(value: GgufValue) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    if isinstance(value, float):
        return struct.pack("<If", _FLOAT32, value)
    if isinstance(value[0], str):
        items, kind = b"".join(_string(str(item)) for item in value), _STRING
    else:
        items, kind = struct.pack(f"<{len(value)}i", *value), _INT32
    return struct.pack("<IIQ", _ARRAY, kind, len(value)) + items


def _string(text: str) -> bytes:
    content = text.encode("utf-8")
    return struct.pack("<Q", len(content)) + content


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _ALIGNMENT)
