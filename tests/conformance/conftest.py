"""What the conformance tests of the judgements share."""

import pytest


@pytest.fixture
def degraded(request: pytest.FixtureRequest) -> bool:
    """Say whether the implementation under test answers in the place of a language model that is down."""
    return "degrading" in request.node.name
