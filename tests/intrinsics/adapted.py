"""The published declarations of adapters."""

from pathlib import Path

from tools.adapters.declaration import AdapterDeclaration, load_adapter

INTRINSICS = Path(__file__).resolve().parents[2] / "intrinsics"


def published(intrinsic: str) -> AdapterDeclaration:
    """Return the adapter declared in the repository."""
    return load_adapter(INTRINSICS / intrinsic / "adapter.toml")
