"""The rules of the house, checked without the linter's own command so that `make test` alone shows a breach."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "contracts", "database", "jargon_db", "library", "tools", "intrinsics", "agent", "ingestion", "serving", "ui",
    "evaluation", "golden_retriever", "lab/golden_lab",
)  # fmt: skip
MAX_LINES = 360


def sources() -> list[Path]:
    return [path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))]


def test_import_rules_hold() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-1000:]


def test_modules_stay_within_the_size_limit() -> None:
    long = [path for path in sources() if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES]
    assert not long, f"these files are too long, split them: {long}"


def test_public_names_have_docstrings() -> None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bare = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sources()
        if "migrations" not in path.parts
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, kinds) and not node.name.startswith("_") and ast.get_docstring(node) is None
    ]
    assert not bare, f"without a docstring: {', '.join(bare)}"


def test_help_imports_nothing_heavy() -> None:
    heavy = ("torch", "sentence_transformers", "chromadb", "langgraph", "gradio", "onnxruntime", "openai", "sqlalchemy")
    code = f"import sys; import golden_retriever.cli; print([m for m in {heavy!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
