"""How judgements join the trained encoder in tests: by given coefficients."""

from tools.encoder.joining import FEATURES, JoinedModel
from tools.evidence.model import FittedModel


def joined(embedded: float = 1.0, encoder: float = 1.0, intercept: float = 0.0) -> JoinedModel:
    """Return a model whose logit is the sum of both logits times these, and the intercept."""
    model = FittedModel(
        features=FEATURES, mean=(0.0, 0.0), scale=(1.0, 1.0), coefficients=(embedded, encoder), intercept=intercept
    )
    return JoinedModel(model=model)
