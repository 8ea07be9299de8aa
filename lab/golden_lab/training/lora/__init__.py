"""Training of LoRA adapters: examples and a recipe in, the weights of an adapter out; killed ones are resumed."""

from golden_lab.training.lora.result import TrainingProgress, TrainingResult, read_result
from golden_lab.training.lora.run_begin import DataSource
from golden_lab.training.lora.running import train

__all__ = ["DataSource", "TrainingProgress", "TrainingResult", "read_result", "train"]
