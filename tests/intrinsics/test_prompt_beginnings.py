"""Every prompt begins with what many calls share, so that a server's prefix cache keeps it."""

import tomllib
from pathlib import Path

import pytest

import intrinsics
from tools.prompts import load_prompt

FOLDER = Path(next(iter(intrinsics.__path__)))
PROMPTS = sorted(path for path in FOLDER.glob("*/*.toml") if "user" in tomllib.loads(path.read_text("utf-8")))
# What the wiring sets once for all calls.
FIXED = {"most"}


def test_a_prompt_begins_with_the_question_s_passages_or_with_what_never_changes(subtests: pytest.Subtests) -> None:
    assert PROMPTS
    for path in PROMPTS:
        with subtests.test(path=path):
            prompt = load_prompt(path)
            if "evidence" in prompt.variables:
                assert prompt.system.strip() == "{grounding}"
                assert prompt.user.lstrip().startswith("{evidence}\n")
                assert prompt.examples == ()
            else:
                alone = prompt.model_copy(update={"user": "x"})
                assert alone.variables <= FIXED
