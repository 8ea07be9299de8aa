"""Tiny models that know a few replies by heart."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any


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
