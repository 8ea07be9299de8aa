"""A word-level tokenizer made here, with and without a chat template."""

from collections.abc import Iterable
from typing import Any

_CHAT = (
    "{% for each in messages %}<s>{{ each.role }} {{ each.content }} </s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant {% endif %}"
)


def word_tokenizer(texts: Iterable[str], *, chat: bool = False) -> Any:
    """Return a fast tokenizer of transformers that knows the words and signs of ``texts``."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["<unk>", "<s>", "</s>"])
    own = (
        "Answer the question from the passages alone . Question : Answer : [ 1 2 3 4 5 6 7 8 9 ] user assistant system"
    )
    made.train_from_iterator([*texts, own], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>", bos_token="<s>", eos_token="</s>")
    if chat:
        tokenizer.chat_template = _CHAT
    return tokenizer
