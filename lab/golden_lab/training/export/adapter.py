"""Exports a finished training run: the adapter for vLLM and llama.cpp, a model card, and its declaration."""

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, Conflict, InvalidInput
from golden_lab.training.export.declaration import TrainedPrompt, check_prompt, write_declaration
from golden_lab.training.export.llama_cpp import write_gguf
from golden_lab.training.lora.result import Begun, RunFolder, TrainingResult, read_result
from golden_lab.training.recipes import Recipe, recipe_text

_CONFIG, _WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# The values that vLLM's --max-lora-rank accepts.
_RANKS_OF_SERVER = (8, 16, 32, 64, 128, 256, 320, 512)
# vLLM does not serve these in all cases: it adds matrices only to layers between embedding and output.
_EMBEDDINGS = frozenset({"embed_tokens", "lm_head", "wte"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """What to export from the training run in ``run``, and where.

    name: the name of the adapter on the server and of its folder in ``out``. prompt: the prompt of an intrinsic, whose
    declaration is also written. base_model: the base model's name on the server; "": its name in training, or the last
    part of its folder. licence: the adapter's licence, as a hub identifier. force: replace an existing export.
    """

    run: Path
    out: Path
    name: str
    prompt: TrainedPrompt | None = None
    base_model: str = ""
    licence: str = ""
    code_revision: str = ""
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written; ``base_model`` is the name of the base model.

    ``gguf`` is the adapter's file for llama.cpp; if it is None, ``no_gguf`` is the reason.
    """

    adapter: Path
    gguf: Path | None
    no_gguf: str
    rank: int
    base_model: str
    version: str
    declaration: Path | None


def export_run(order: ExportOrder) -> Exported:
    """Export a training run; the declaration is written last. Blocking.

    Raises:
        NotFound: the training run has not finished.
        Conflict: the export exists and must not be replaced.
        InvalidInput: the name is not valid for a folder, or the kind of prompt differs from that in training.
        ConfigurationError: vLLM does not serve the adapter.
    """
    run = RunFolder(order.run)
    result, recipe = read_result(run.result), Recipe.load(run.recipe)
    begun = Begun.model_validate_json(run.begun.read_text("utf-8"))
    if not _NAME.fullmatch(order.name):
        raise InvalidInput(
            f"the name {order.name!r} is not valid for a folder: use letters, digits and . _ -", field="name"
        )
    if order.prompt is not None:
        check_prompt(order.prompt, begun.path, begun.sha256)
    strange = sorted(_EMBEDDINGS.intersection(recipe.lora.targets))
    if strange:
        raise ConfigurationError(f"vLLM does not serve adapters on {', '.join(strange)}: train without them")
    base = order.base_model or _name_of_base(result.model)
    # Paths on this machine have no meaning elsewhere.
    recipe = recipe.model_copy(update={"model": recipe.model.model_copy(update={"name": base})})
    version = f"{order.name} {_digest(result, recipe, base)}"
    folder = order.out / order.name
    declared = order.out / f"{order.prompt.intrinsic}.toml" if order.prompt else folder
    if not order.force and (folder.exists() or declared.exists()):
        raise Conflict(f"{folder} already exists: choose another --name or --out, or replace it with --force")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = _served_config(json.loads((run.adapter / _CONFIG).read_text("utf-8")), base, result.revision)
    (folder / _CONFIG).write_text(json.dumps(config, indent=2, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
    shutil.copyfile(run.adapter / _WEIGHTS, folder / _WEIGHTS)
    gguf, no_gguf = _for_llama_cpp(folder, result)
    data_file = Path(begun.path).name
    card = _card(order, recipe, result, base=base, version=version, data_file=data_file, has_gguf=gguf is not None)
    (folder / "README.md").write_text(card, "utf-8")
    if order.prompt is not None:
        write_declaration(
            declared,
            order.prompt,
            version=version,
            description=recipe.description,
            model=order.name,
            base=base,
            path=folder.resolve(),
            rank=recipe.lora.rank,
        )
    return Exported(
        adapter=folder,
        gguf=gguf,
        no_gguf=no_gguf,
        rank=recipe.lora.rank,
        base_model=base,
        version=version,
        declaration=declared if order.prompt else None,
    )


def _name_of_base(model: str) -> str:
    """Return the last part of a path; for a GGUF file, without its suffix, as llama.cpp does."""
    path = Path(model)
    return (path.stem if path.suffix == ".gguf" else path.name) if path.is_absolute() else model


def _for_llama_cpp(folder: Path, result: TrainingResult) -> tuple[Path | None, str]:
    """Write the GGUF file of the adapter in ``folder``; return its path, or the reason why there is none."""
    target = folder / f"{folder.name}.gguf"
    try:
        write_gguf(folder, target, model=result.model, revision=result.revision)
    except ConfigurationError as error:
        return None, str(error)
    return target, ""


def _digest(result: TrainingResult, recipe: Recipe, base: str) -> str:
    """Return a digest that depends only on the data, the recipe and the base model."""
    known = "\0".join((result.data_sha256, recipe_text(recipe), base, result.revision))
    return hashlib.sha256(known.encode()).hexdigest()[:12]


def _served_config(config: dict[str, Any], base: str, revision: str) -> dict[str, Any]:
    targets = config.get("target_modules")
    return config | {
        "base_model_name_or_path": base,
        "revision": revision if revision != "main" else None,
        "target_modules": sorted(targets) if isinstance(targets, list) else targets,
        "auto_mapping": None,
        "inference_mode": True,
    }


def _card(
    order: ExportOrder,
    recipe: Recipe,
    result: TrainingResult,
    *,
    base: str,
    version: str,
    data_file: str,
    has_gguf: bool,
) -> str:
    """Return the model card as Markdown, with the front matter that model hubs read."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"cell": lambda text: " ".join(text.replace("|", "\\|").split()), "tojson": json.dumps}
    return environment.get_template("card.md.j2").render(
        order=order,
        base=base,
        version=version,
        data_file=data_file,
        has_gguf=has_gguf,
        intrinsic=order.prompt.intrinsic if order.prompt else "",
        recipe=recipe,
        recipe_text=recipe_text(recipe),
        result=result,
        rank_of_server=next(each for each in _RANKS_OF_SERVER if each >= recipe.lora.rank),
    )
