"""A training that has ended, exported: adapter, merged weights, cards and declaration."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.training.export.adapter import (
    CONFIG,
    WEIGHTS,
    AdapterFiles,
    check_servable,
    read_adapter,
    servable_config,
)
from golden_lab.training.export.card import CardFacts, MeasuredScore, write_card
from golden_lab.training.export.declaration import (
    TrainedPrompt,
    check_prompt,
    declared_files,
    version_of,
    write_declaration,
)
from golden_lab.training.export.folders import see_that_free, written_whole
from golden_lab.training.lora.loading import Dtype, load_adapter, load_base, load_tokenizer
from golden_lab.training.lora.result import TrainingResult, read_result
from golden_lab.training.recipes.form import Recipe, load_recipe
from golden_lab.training.run_folder import RunFolder


def write_merged(adapter: Path, folder: Path, *, base: str, revision: str, dtype: Dtype) -> None:
    """Write the weights of ``base`` with ``adapter`` added to them, tokenizer and chat template into ``folder``.

    The base model is loaded as it is stored (or as ``dtype`` says), never in 4 bits: what was trained on a quantised
    one is added to the exact weights, of which those were the rounded ones. Blocking.

    Raises:
        ConfigurationError: the base model cannot be loaded, the adapter does not fit it, or the sum is not finite.
    """
    from contracts.errors import ConfigurationError

    model: Any = load_adapter(load_base(base, revision=revision, dtype=dtype), adapter)
    try:
        merged = model.merge_and_unload(safe_merge=True)
    except ValueError as error:
        raise ConfigurationError(f"{adapter} cannot be merged into {base}: {error}") from error
    merged.save_pretrained(folder)
    # The tokenizer that it was trained with lies beside the adapter, chat template and all.
    own = (adapter / "tokenizer_config.json").is_file()
    load_tokenizer(str(adapter) if own else base, revision="main" if own else revision).save_pretrained(folder)


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """What is exported of the training in ``run``, and whereto.

    name: of the adapter on the server, and of its folder in ``out``. merged: whole weights besides, as ``name``-merged.
    prompt: of an intrinsic, whose declaration is written then. base_model: what the base model is called where it is
    served; "": as in the training, of a folder its last part. licence: of the result, by the hub's identifier.
    """

    run: Path
    out: Path
    name: str
    merged: bool = False
    prompt: TrainedPrompt | None = None
    base_model: str = ""
    licence: str = ""
    scores: Sequence[MeasuredScore] = field(default=())
    code_revision: str = ""
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written; ``notes`` are what should be known besides."""

    adapter: Path
    rank: int
    base_model: str
    version: str
    merged: Path | None = None
    declaration: Path | None = None
    notes: tuple[str, ...] = ()


def export_run(order: ExportOrder) -> Exported:
    """Export a training. Each folder and file is written whole or not at all, the declaration last. Blocking.

    Raises:
        NotFound: the training has not ended.
        Conflict: something stands in the way of the export, and it is not to be replaced.
        InvalidInput: the name is none for a folder, or the prompt is not of the kind that was trained on.
        ConfigurationError: vLLM would not serve the adapter, or its base model cannot be loaded for merging.
    """
    run = RunFolder(order.run)
    result, recipe = read_result(run.result), load_recipe(run.recipe)
    data = json.loads(run.data.read_text("utf-8"))
    adapter, merged = _free_folders(order)
    files = read_adapter(run.adapter)
    notes = [*check_servable(files)]
    if order.prompt is not None:
        check_prompt(order.prompt, data["path"], data["sha256"])
    base, told = _served_base(order, result.model)
    notes += told
    facts = _facts(order, recipe, result, files, base=base, data_file=Path(data["path"]).name)
    with written_whole(adapter) as unfinished:
        _write_adapter(files, unfinished, facts)
    if order.merged:
        with written_whole(merged) as unfinished:
            # The base model as the training found it, not as it is called elsewhere.
            write_merged(run.adapter, unfinished, base=result.model, revision=result.revision, dtype=recipe.model.dtype)
            write_card(unfinished / "README.md", _as_merged(facts))
    declaration = None
    if order.prompt is not None:
        declaration = write_declaration(
            order.out,
            order.prompt,
            version=facts.version,
            description=recipe.description,
            model=order.name,
            base=base,
            path=adapter.resolve(),
            rank=files.rank,
        )
    return Exported(
        adapter=adapter,
        rank=files.rank,
        base_model=base,
        version=facts.version,
        merged=merged if order.merged else None,
        declaration=declaration,
        notes=tuple(notes),
    )


def _free_folders(order: ExportOrder) -> tuple[Path, Path]:
    """Return the folders of the adapter and of the merged weights, once nothing stands in the export's way."""
    if not _NAME.fullmatch(order.name):
        raise InvalidInput(
            f"the name {order.name!r} is none for a folder: take letters, digits and . _ - behind the first",
            field="name",
        )
    adapter, merged = order.out / order.name, order.out / f"{order.name}-merged"
    declared = declared_files(order.out, order.prompt) if order.prompt else ()
    see_that_free([adapter, *([merged] if order.merged else []), *declared], force=order.force)
    return adapter, merged


def _served_base(order: ExportOrder, trained_on: str) -> tuple[str, list[str]]:
    """Return what the base model is called on a server, and what should be known of that."""
    if order.base_model or not Path(trained_on).is_absolute():
        return order.base_model or trained_on, []
    base = Path(trained_on).name
    return base, [f"The base model was a folder, and is called {base} here: --base-model says how it is served."]


def _write_adapter(files: AdapterFiles, folder: Path, facts: CardFacts) -> None:
    folder.mkdir(parents=True)
    revision = facts.result.revision if facts.result.revision != "main" else ""
    config = servable_config(files, base_model=facts.base, revision=revision)
    (folder / CONFIG).write_text(json.dumps(config, indent=2, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
    shutil.copyfile(files.folder / WEIGHTS, folder / WEIGHTS)
    write_card(folder / "README.md", facts)


def _facts(
    order: ExportOrder, recipe: Recipe, result: TrainingResult, files: AdapterFiles, *, base: str, data_file: str
) -> CardFacts:
    # Nobody else has the folders of this machine.
    recipe = recipe.model_copy(update={"model": recipe.model.model_copy(update={"name": base})})
    return CardFacts(
        name=order.name,
        version=version_of(order.name, recipe, result),
        base=base,
        licence=order.licence,
        intrinsic=order.prompt.intrinsic if order.prompt else "",
        recipe=recipe,
        result=result,
        data_file=data_file,
        code_revision=order.code_revision or "unknown",
        scores=tuple(order.scores),
        rank=files.rank,
        merged=False,
    )


def _as_merged(facts: CardFacts) -> CardFacts:
    return replace(facts, name=f"{facts.name}-merged", merged=True)
