"""Tiny language models for tests: a Llama with random weights, a tokenizer trained on texts, a chat template."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

Convention = Literal["llama", "chatml", "granite"]

# Like Llama 3: the template itself begins with the start mark, which the tokenizer adds to plain text.
_LLAMA = (
    "{{ bos_token }}{% for message in messages %}"
    "<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n{{ message['content'] | trim }}<|eot_id|>"
    "{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
# Like Qwen: a default system message, no start token, and a line break after the end token.
_CHATML = (
    "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nYou are helpful.<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Like Granite 3.3, but without its default system message, which contains the date.
_GRANITE = (
    "{% for message in messages %}<|start_of_role|>{{ message['role'] }}<|end_of_role|>{{ message['content'] }}"
    "<|end_of_text|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start_of_role|>assistant<|end_of_role|>{% endif %}"
)
_TEMPLATES: dict[Convention, str] = {"llama": _LLAMA, "chatml": _CHATML, "granite": _GRANITE}
_MARKS: dict[Convention, tuple[str, ...]] = {
    "llama": ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|pad|>"),
    "chatml": ("<|im_start|>", "<|im_end|>", "<|endoftext|>"),
    "granite": ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
}
_ENDS: dict[Convention, str] = {"llama": "<|eot_id|>", "chatml": "<|im_end|>", "granite": "<|end_of_text|>"}
_PADS: dict[Convention, str] = {"llama": "<|pad|>", "chatml": "<|endoftext|>", "granite": "<|end_of_text|>"}
_MOST_TOKENS = 2048


def make_tiny_model(folder: Path, texts: Iterable[str], *, convention: Convention = "llama") -> Path:
    """Write a Llama of about 50,000 random parameters for transformers and vLLM into ``folder``; return the folder.

    The tokenizer is a byte-level BPE trained on ``texts``; it decodes any text exactly. ``convention`` selects chat
    template and marks: "llama" (as Llama 3: the template begins with the begin mark, and the tokenizer adds it to plain
    text), "chatml" (as Qwen), "granite" (as Granite 3.3: ``<|start_of_role|>``, for frozen prompts of adapters). The
    model has two layers, four heads and two key-value heads, and is the same each time. Its weights are larger than
    usual, so that low-rank matrices alone can teach it a label.
    """
    from transformers import GenerationConfig

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(texts, convention=convention)
    tokenizer.save_pretrained(folder)
    _model(tokenizer).save_pretrained(folder)
    GenerationConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        do_sample=False,
    ).save_pretrained(folder)
    return folder


def make_tokenizer(texts: Iterable[str], *, convention: Convention = "llama") -> Any:
    """Return a transformers tokenizer trained on ``texts``: a byte-level BPE with a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    marks = _MARKS[convention]
    bpe.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=512,
            special_tokens=list(marks),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    begin = {}
    if convention == "llama":
        bpe.post_processor = processors.TemplateProcessing(
            single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", bpe.token_to_id("<|begin_of_text|>"))]
        )
        begin = {"bos_token": "<|begin_of_text|>"}
    taken = {_ENDS[convention], _PADS[convention], *begin.values()}
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=_ENDS[convention],
        pad_token=_PADS[convention],
        additional_special_tokens=[each for each in marks if each not in taken],
        chat_template=_TEMPLATES[convention],
        model_max_length=_MOST_TOKENS,
        clean_up_tokenization_spaces=False,
        **begin,
    )


def _model(tokenizer: Any) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=_MOST_TOKENS,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        # The head is frozen: with the usual scale of 0.02, it could not clearly distinguish tokens.
        initializer_range=0.3,
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return LlamaForCausalLM(config)


def write_tiny_gguf(folder: Path, target: Path) -> Path:
    """Write the tiny model in ``folder`` for llama.cpp, with 32-bit weights, to ``target``; return ``target``.

    Source: convert_hf_to_gguf.py in ggml-org/llama.cpp, which reorders the rows of queries and keys.
    """
    import gguf
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    config = model.config
    heads = {"attn_q.weight": config.num_attention_heads, "attn_k.weight": config.num_key_value_heads}
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    writer = gguf.GGUFWriter(target, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_vocab_size(config.vocab_size)
    _write_tokenizer(writer, tokenizer)
    for key, tensor in model.state_dict().items():
        name = names.get_name(key, try_suffixes=(".weight",))
        rows = tensor.float().numpy()
        count = next((number for each, number in heads.items() if name.endswith(each)), 0)
        if count:
            rows = rows.reshape(count, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)
        writer.add_tensor(name, rows)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


def _write_tokenizer(writer: Any, tokenizer: Any) -> None:
    import gguf

    state = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    marks = set(tokenizer.all_special_tokens)
    tokens = sorted(state["vocab"], key=state["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL if each in marks else gguf.TokenType.NORMAL for each in tokens])
    writer.add_token_merges([" ".join(pair) for pair in state["merges"]])
    writer.add_eos_token_id(tokenizer.eos_token_id)
    if tokenizer.bos_token_id is not None:
        writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_chat_template(tokenizer.chat_template)
