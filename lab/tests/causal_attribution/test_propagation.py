"""AttnLRP: refused clearly where its library cannot be used, and conserving where it can."""

import subprocess
import sys

import numpy as np
import pytest

from contracts.errors import ConfigurationError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.causal_attribution.propagation import PropagationAttributor  # noqa: E402
from lab.tests.causal_attribution.models import linear_model  # noqa: E402

_MEASURE = """
from lab.tests.causal_attribution.models import tiny_llama
from golden_lab.causal_attribution.gradient import InputGradientAttributor
from golden_lab.causal_attribution.propagation import PropagationAttributor
model, prompt, answer = tiny_llama(), tuple(range(5, 25)), (7, 30, 2)
plain = InputGradientAttributor(model).attribute(prompt, answer).conservation()
print(abs(plain - 1).mean(), abs(PropagationAttributor(model).attribute(prompt, answer).conservation() - 1).mean())
"""


def test_a_model_that_has_no_rules_is_refused_with_what_to_do() -> None:
    with pytest.raises(ConfigurationError, match="input x gradient"):
        PropagationAttributor(linear_model())


@pytest.mark.slow
def test_its_relevance_accounts_for_more_of_the_logit_than_the_plain_gradient() -> None:
    # In a process of its own: its rules stay for good.
    if subprocess.run([sys.executable, "-c", "import lxt.efficient"], capture_output=True, check=False).returncode:
        pytest.skip("lxt is not installed, or does not fit the installed transformers")
    told = subprocess.run([sys.executable, "-c", _MEASURE], capture_output=True, text=True, check=True).stdout
    plain, propagated = map(float, told.split())
    assert np.isfinite(propagated)
    assert propagated < plain
