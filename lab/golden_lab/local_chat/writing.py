"""Writing a reply token by token. Blocking."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from golden_lab.local_chat.pieces import GrowingText, WrittenPiece
from golden_lab.local_chat.weights import LocalWeights
from tools.chat.base import ChatRequest, ReplyToken, TokenOption
from tools.chat.refusal import ChatRefused, ChatTooLong


def prompt_ids(weights: LocalWeights, request: ChatRequest) -> list[int]:
    """Return the tokens of a request's prompt: its messages in the chat template, or its whole prompt as it is.

    A whole prompt gets the mark of the beginning where the tokenizer sets one, as servers do it.

    Raises:
        ChatRefused: the model has no chat template, or it does not take these messages.
        ChatTooLong: prompt and reply do not fit the model's window.
    """
    tokenizer = weights.tokenizer
    if request.prompt:
        ids = tokenizer(request.prompt, verbose=False)["input_ids"]
    else:
        ids = tokenizer(_laid_out(weights, request), add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise ChatRefused(f"The prompt for {weights.name} is empty.")
    if weights.window and len(ids) + request.max_tokens > weights.window:
        raise ChatTooLong(
            f"{weights.name}: its maximum context length is {weights.window} tokens, and "
            f"{len(ids) + request.max_tokens} were asked for ({len(ids)} in the prompt, {request.max_tokens} in the "
            "reply).",
            max_tokens=weights.window,
            prompt_tokens=len(ids),
        )
    return list(ids)


def write(
    weights: LocalWeights, request: ChatRequest, ids: Sequence[int], stopped: Callable[[], bool]
) -> Iterator[WrittenPiece]:
    """Yield the reply to the prompt ``ids``, a piece a token, until ``stopped`` says true between two tokens.

    At temperature 0 the most probable token is taken, else one is drawn, by ``seed`` where there is one. Log-
    probabilities are the model's own, whatever the temperature. The last piece has the finish reason; of a reply that
    was stopped there is none.
    """
    text = GrowingText(weights.decode, request.stop)
    count, reason = 0, "length"
    with weights.active(request.model) as module:
        for chosen, logits in islice(_steps(module, ids, _drawer(request)), request.max_tokens):
            if stopped():
                return
            count += 1
            if chosen in weights.ends:
                reason = "stop"
                break
            tokens = (_measured(weights, logits, chosen, request.top_logprobs),) if request.top_logprobs else ()
            yield WrittenPiece(text=text.add(chosen), tokens=tokens)
            if text.stopped:
                reason = "stop"
                break
    yield WrittenPiece(
        text=text.finish(),
        finish_reason=reason,
        prompt_tokens=len(ids),
        completion_tokens=count,
    )


def _steps(module: Any, ids: Sequence[int], draw: Callable[[Any], int]) -> Iterator[tuple[int, Any]]:
    """Yield each next token with the logits that it was drawn from, ``(vocabulary,)``; the prompt is read once."""
    import torch

    # All logits of a long prompt would take gigabytes.
    base = module.get_base_model() if hasattr(module, "get_base_model") else module
    more = {"logits_to_keep": 1} if "logits_to_keep" in inspect.signature(base.forward).parameters else {}
    fed, cache = list(ids), None
    while True:
        with torch.inference_mode():
            given = torch.tensor([fed], device=module.device)
            result = module(input_ids=given, past_key_values=cache, use_cache=True, **more)
            logits = result.logits[0, -1].float()
        chosen = draw(logits)
        yield chosen, logits
        fed, cache = [chosen], result.past_key_values


def _drawer(request: ChatRequest) -> Callable[[Any], int]:
    import torch

    if request.temperature <= 0:
        return lambda logits: int(logits.argmax())
    source = torch.Generator()
    if request.seed is None:
        source.seed()
    else:
        source.manual_seed(request.seed)

    def draw(logits: Any) -> int:
        likely = torch.softmax(logits.double().cpu() / request.temperature, dim=-1)
        return int(torch.multinomial(likely, 1, generator=source))

    return draw


def _measured(weights: LocalWeights, logits: Any, chosen: int, most: int) -> ReplyToken:
    import torch

    measured = torch.log_softmax(logits, dim=-1)
    values, ids = measured.topk(min(most, measured.shape[0]))
    options = tuple(
        TokenOption(text=weights.shown(int(each)), logprob=float(value))
        for value, each in zip(values, ids, strict=True)
    )
    return ReplyToken(text=weights.shown(chosen), logprob=float(measured[chosen]), options=options)


def _laid_out(weights: LocalWeights, request: ChatRequest) -> str:
    from jinja2.exceptions import TemplateError

    if not getattr(weights.tokenizer, "chat_template", None):
        raise ChatRefused(f"{weights.name} has no chat template: it can be asked with whole prompts alone.")
    messages = [{"role": each.role, "content": each.content} for each in request.messages]
    try:
        return str(weights.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
    except (TemplateError, TypeError, ValueError) as error:
        raise ChatRefused(f"The chat template of {weights.name} does not take these messages: {error}") from error
