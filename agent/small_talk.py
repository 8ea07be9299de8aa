"""Small talk: greetings, thanks and the like, and questions about the bot itself. The bot replies without a search.

A message is small talk only if all of its words are: "hello" is small talk, but "hello packet interval" and "thanks,
and how do I restart it?" are not.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from contracts.question import Turn
from tools.language import fold

SmallTalk = Literal[
    "capabilities", "identity", "wellbeing", "goodbye", "thanks", "greeting", "acknowledgement", "praise"
]

_MOST_WORDS = 14
# The patterns for each kind of small talk, in English and German, and filler words.
_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_PHRASES: dict[SmallTalk, str] = _LISTS["phrases"]
_FILLERS: str = _LISTS["fillers"]
_SHORT_FORMS: dict[str, str] = _LISTS["short_forms"]
# What the user gives thanks for; the word "help" in it is not a request.
_THANKED_FOR = re.compile(
    r" for ((the|all|your|all the|all your|this|that) )?((quick|great|kind) )?"
    r"(help|answers?|info|information|explanation|reply|time|that|this|everything"
    r"|(helping|explaining|answering)( me| that| this)?)(?= |$)"
    r"| fuer (alles|(die |deine |ihre )?((schnelle|tolle) )?(hilfe|antwort|auskunft|infos?|erklaerung|muehe))(?= |$)"
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_WORD = re.compile(r"[^\W_]+")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")


def _any_of(phrases: str) -> str:
    return "|".join(line.strip() for line in phrases.strip().splitlines())


_ONLY_SMALL_TALK = re.compile(rf"(?:(?:{'|'.join(map(_any_of, (*_PHRASES.values(), _FILLERS)))})(?: |$))+")
_KINDS = {kind: re.compile(rf"(?:^| )(?:{_any_of(phrases)})(?= |$)") for kind, phrases in _PHRASES.items()}


def small_talk_in(message: str, *, is_first: bool) -> SmallTalk | None:
    """Return the kind of small talk in ``message``, or None if any part may be a question about the documents.

    ``is_first`` is true for the first message of a conversation.
    """
    said = _THANKED_FOR.sub("", _plain(message))
    if said.count(" ") >= _MOST_WORDS or not _ONLY_SMALL_TALK.fullmatch(said):
        return None
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.search(said)), None)
    return None if kind == "praise" and is_first and " " not in said else kind


def without_small_talk(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns without small talk and the replies to it, because no question refers to them."""
    kept: list[Turn] = []
    chatting = False
    for place, turn in enumerate(history):
        if turn.role == "user":
            chatting = small_talk_in(turn.text, is_first=place == 0) is not None
        if not chatting:
            kept.append(turn)
    return tuple(kept)


def _plain(message: str) -> str:
    """Return the normalised words of ``message``: "Hiii!! What's up?" becomes "hi what is up"."""
    text = fold(message).translate(_UMLAUTS).replace("'", "").replace("’", "")
    words = _WORD.findall(_DRAWN_OUT.sub(r"\1", text))
    return " ".join(_SHORT_FORMS.get(word, word) for word in words)
