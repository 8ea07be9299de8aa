"""Replies of a simulated language model: of the form that a request asks for, whatever judgement asks.

They prove nothing about wisdom. JSON follows the request's schema: the first of several choices, and in a field that is
left open what the request's own example shows there, with sentence marks of the passages. A label is a word that the
request's instructions offer. Prose consists of the sentences of its passages that share the most words with what is
asked of them.
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_SENTENCES = 2
_MOST_ITEMS = 3
_WORDS = re.compile(r"\w+")
_PASSAGE = re.compile(r"<<passage \d+ [0-9a-f]{12}>>.*?\n(.*?)\n<<end \d+ [0-9a-f]{12}>>", re.DOTALL)
_MARKED = re.compile(r"^\[(\d+\.\d+)\] (.*)$", re.MULTILINE)
_MARK = re.compile(r"\d+\.\d+")
_SENTENCE_MARK = re.compile(r"^\[\d+\.\d+\] ")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# A row of a table, or a heading, is no sentence to write.
_LEAST_WORDS = 5
_TEXT = "as the passages say"

Messages = Sequence[Mapping[str, Any]]


def reply_to(request: Mapping[str, Any], words: Sequence[str]) -> str:
    """Return the reply to the body of a request for a chat completion.

    ``words`` are the labels that the model knows, the one it would say first first: a request for log-probabilities
    without a schema is answered with the first of them that the request names, or with the first of all.
    """
    messages: Messages = request["messages"]
    schema = ((request.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if schema is not None:
        example = _with_marks(_example(messages, schema), itertools.cycle(_marks(messages) or ("1.1",)))
        return json.dumps(_filled(schema, schema, example), ensure_ascii=False)
    if request.get("logprobs"):
        return _label(messages, words)
    return _prose(messages)


def _label(messages: Messages, words: Sequence[str]) -> str:
    """Return the first of ``words`` that stands in the instructions, what the user's passages say being none."""
    told = "\n".join([messages[0]["content"], task_of(messages)]) if messages else ""
    named = {word.casefold() for word in _WORDS.findall(told)}
    return next((word for word in words if word.casefold() in named), words[0])


def _prose(messages: Messages) -> str:
    """Return the sentences of the request's passages that share the most words with the task behind them."""
    asked = _long_words(task_of(messages))
    ranked = sorted(dict.fromkeys(_sentences(messages)), key=lambda each: -len(asked & _long_words(each)))
    return " ".join(ranked[:_SENTENCES]) or "The passages do not say."


def _marks(messages: Messages) -> list[str]:
    """Return the marks of the passages' sentences, such as "2.3", those first that share the most with the task."""
    asked = _long_words(task_of(messages))
    marked = _MARKED.findall("\n".join(str(message["content"]) for message in messages))
    return [mark for mark, text in sorted(marked, key=lambda each: -len(asked & _long_words(each[1])))]


def _with_marks(value: Any, marks: Iterator[str]) -> Any:
    """Return ``value``, an example, with ``marks`` in the place of its own, which are of other passages."""
    if isinstance(value, dict):
        return {name: _with_marks(each, marks) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_marks(each, marks) for each in value]
    return next(marks) if isinstance(value, str) and _MARK.fullmatch(value) else value


def _long_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORDS.findall(text) if len(word) > 2}


def _sentences(messages: Messages) -> Iterator[str]:
    for passage in _PASSAGE.findall("\n".join(str(message["content"]) for message in messages)):
        for line in passage.split("\n"):
            for sentence in _SENTENCE_END.split(_SENTENCE_MARK.sub("", line).strip()):
                if len(sentence.split()) >= _LEAST_WORDS and sentence[-1:] in ".!?":
                    yield sentence


def task_of(messages: Messages) -> str:
    """Return what the last message asks, behind its passages."""
    last = str(messages[-1]["content"]) if messages else ""
    ends = [match.end() for match in _PASSAGE.finditer(last)]
    return last[ends[-1] :] if ends else last


def _example(messages: Messages, schema: Mapping[str, Any]) -> Any:
    """Return the first JSON reply that the request shows as an example and that has the schema's fields, or None."""
    wanted = set(schema.get("required", ()))
    shown = [str(message["content"]) for message in messages if message["role"] == "assistant"]
    for text in (*shown, task_of(messages), str(messages[0]["content"])):
        for start in (match.start() for match in re.finditer(r"\{", text)):
            try:
                value, _ = json.JSONDecoder().raw_decode(text[start:])
            except ValueError:
                continue
            if isinstance(value, dict) and wanted <= set(value):
                return value
    return None


def _filled(schema: Mapping[str, Any], root: Mapping[str, Any], example: Any) -> Any:
    """Return a value of the form ``schema``; ``example`` fills what may be anything of its type."""
    if "$ref" in schema:
        return _filled(_referred(root, schema["$ref"]), root, example)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return _filled(schema[several][0], root, example)
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        own = example if isinstance(example, dict) else {}
        return {name: _filled(each, root, own.get(name)) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return _listed(schema, root, example)
    return _plain(schema, kind, example)


def _listed(schema: Mapping[str, Any], root: Mapping[str, Any], example: Any) -> list[Any]:
    fewest, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", _MOST_ITEMS))
    items = schema.get("items", {})
    if isinstance(example, list):
        wanted = max(fewest, min(len(example), most))
        chosen = [example[at % len(example)] if example else None for at in range(wanted)]
        return [_filled(items, root, each) for each in chosen]
    return [_filled(items, root, None) for _ in range(max(1, fewest))]


def _plain(schema: Mapping[str, Any], kind: Any, example: Any) -> Any:
    if kind == "boolean":
        return example if isinstance(example, bool) else False
    if kind in ("integer", "number"):
        number = example if isinstance(example, int | float) and not isinstance(example, bool) else 1
        low, high = schema.get("minimum", number), schema.get("maximum", number)
        return min(max(number, low), high)
    if kind == "null":
        return None
    return example if isinstance(example, str) else _TEXT


def _referred(root: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    value: Any = root
    for name in place.removeprefix("#/").split("/"):
        value = value[name]
    return dict(value)
