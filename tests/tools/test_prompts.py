"""Prompt files: templates, versions, errors that name what is wrong; and that many prompts begin alike."""

import tomllib
from pathlib import Path

import pytest

import intrinsics
from contracts.errors import ConfigurationError
from tools.prompts import load_prompt

GOOD = '''
version = "3"
description = "answers"
system = "You know {domain}."
user = """
Question: {question}
Reply as {"answer": "…"} or {{literal}}.
"""

[[examples]]
user = "Is {this} a variable?"
assistant = '{"answer": "no"}'
'''


def write(folder: Path, text: str) -> Path:
    path = folder / "prompt.toml"
    path.write_text(text, "utf-8")
    return path


def test_templates_are_filled_in(tmp_path: Path) -> None:
    prompt = load_prompt(write(tmp_path, GOOD))
    assert prompt.version == "3"
    assert prompt.variables == {"domain", "question"}
    messages = prompt.messages(domain="flash", question="What?", unused=1)
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[0].content == "You know flash."
    assert messages[1].content == "Is {this} a variable?"
    assert messages[3].content == 'Question: What?\nReply as {"answer": "…"} or {literal}.'
    # Values are not templates.
    messages = prompt.messages(domain="{question}", question="{domain} {0} {{x}}")
    assert messages[0].content == "You know {question}."
    assert "Question: {domain} {0} {{x}}" in messages[-1].content
    with pytest.raises(ConfigurationError, match=r"'answers', version 3.*domain, question.*can have: other"):
        prompt.messages(other=1)


def test_a_wrong_file_is_named_with_its_key(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for text, named in [
        (GOOD.replace("system =", "sytem ="), "sytem"),
        (GOOD.replace("version =", "# "), "version"),
        (GOOD.replace('version = "3"', "version = 3"), "version"),
        (GOOD.replace("assistant =", "asistant ="), r"examples\.0\.assistant"),
        ('version = "1"\ndescription = "d"\nuser = ""\n', "user"),
        ("version = ", "not valid TOML"),
    ]:
        with subtests.test(named=named), pytest.raises(ConfigurationError, match=rf"prompt\.toml.*{named}"):
            load_prompt(write(tmp_path, text))


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
