"""Export: an adapter as vLLM serves it, merged weights, a model card, and the declaration that the bot reads."""

from golden_lab.training.export.card import MeasuredScore
from golden_lab.training.export.declaration import TrainedPrompt
from golden_lab.training.export.exporting import Exported, ExportOrder, export_run

__all__ = ["ExportOrder", "Exported", "MeasuredScore", "TrainedPrompt", "export_run"]
