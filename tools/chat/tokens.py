"""Counting tokens by an estimate that errs on the side of more."""

import math
import re
from functools import lru_cache

# Byte-level tokenizers split text about so before they merge: words, digits, runs of marks, spaces, line breaks.
_RUNS = re.compile(r"[A-Za-z]+|[0-9]+|[ \t]+|[\r\n]+|[^\x00-\x7f]+|[^A-Za-z0-9\s]|.", re.DOTALL)
_LETTERS_A_TOKEN = 4
_NAME_LETTERS_A_TOKEN = 2
_BYTES_A_TOKEN = 2


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens ``text`` takes, for a model whose tokenizer is not at hand.

    A word takes a token for each four letters begun, one in capitals or mixed case for each two; a digit and a mark
    takes one each; letters beyond ASCII one for each two bytes of UTF-8. Vocabularies of 30 000 tokens and more need
    fewer on prose, tables and abbreviations.
    """
    return sum(map(_estimated, _RUNS.findall(text)))


# Of the words of prompts most come again.
@lru_cache(maxsize=16_384)
def _estimated(run: str) -> int:
    if run.isascii():
        if run.isalpha():
            plain = run[1:].islower() or len(run) == 1
            return math.ceil(len(run) / (_LETTERS_A_TOKEN if plain else _NAME_LETTERS_A_TOKEN))
        if run.isspace():
            # The space before a word belongs to the word's token.
            return 0 if run == " " else 1 + len(run) // 16
        return len(run)
    return math.ceil(len(run.encode("utf-8", "surrogatepass")) / _BYTES_A_TOKEN)
