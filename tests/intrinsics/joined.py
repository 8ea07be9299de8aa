"""How judgements join the trained encoder in tests: by given coefficients."""

from tests.tools.encoder.constant import ConstantPairEncoder
from tools.encoder import PairEncoder
from tools.encoder.joining import FEATURES, JoinedModel
from tools.evidence.model import FittedModel
from tools.judges import JoinedEncoder


def joined(encoder: PairEncoder | float) -> JoinedEncoder:
    """Return an encoder, or one of a constant logit, whose logits are added to those of the features."""
    model = FittedModel(features=FEATURES, mean=(0.0, 0.0), scale=(1.0, 1.0), coefficients=(1.0, 1.0), intercept=0.0)
    return JoinedEncoder(
        ConstantPairEncoder(encoder) if isinstance(encoder, float) else encoder, JoinedModel(model=model)
    )
