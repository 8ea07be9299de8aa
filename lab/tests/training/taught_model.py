"""Tiny models that know a few replies by heart, and adapters for them made without any training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def teach(folder: Path, replies: Sequence[tuple[str, str]], *, steps: int = 120, most_loss: float = 0.02) -> Path:
    """Train the model in ``folder`` until it gives each prompt (laid out, marks and all) its reply; return the folder.

    Only the reply and the mark that ends it are learned.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    rows = []
    for prompt, reply in replies:
        asked = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        said = [*tokenizer(reply, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        rows.append((torch.tensor([[*asked, *said]]), torch.tensor([[*([-100] * len(asked)), *said]])))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        losses = [model(input_ids=ids, labels=labels).loss for ids, labels in rows]
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        optimizer.step()
        if max(loss.item() for loss in losses) < most_loss:
            break
    else:
        raise AssertionError(f"the model has not learned its replies in {steps} steps")
    model.save_pretrained(folder)
    return folder


def make_adapter(
    base: Path, folder: Path, *, rank: int = 8, alpha: int = 16, seed: int = 1, scale: float = 1.0, **more: Any
) -> Path:
    """Write a LoRA of random weights for the model in ``base``, in PEFT's layout; ``scale`` 0 changes nothing."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = LoraConfig(
            r=rank,
            lora_alpha=alpha,
            target_modules=list(PROJECTIONS),
            task_type="CAUSAL_LM",
            **{"init_lora_weights": False, **more},
        )
        model: Any = get_peft_model(AutoModelForCausalLM.from_pretrained(base), config)
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.data *= scale
    model.save_pretrained(folder)
    return folder
