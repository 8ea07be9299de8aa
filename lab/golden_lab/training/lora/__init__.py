"""Training of LoRA adapters: examples and a recipe in, the weights of an adapter out; killed ones are resumed."""

from golden_lab.training.lora.beginning import DataSource
from golden_lab.training.lora.progress import TrainingProgress, read_progress
from golden_lab.training.lora.result import TrainingResult, read_result
from golden_lab.training.lora.running import train

__all__ = ["DataSource", "TrainingProgress", "TrainingResult", "read_progress", "read_result", "train"]
