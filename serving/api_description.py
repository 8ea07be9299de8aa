"""What the description of the API says of its parts, and of the answers to questions."""

from typing import Any

_TOLD = {
    "openai": "Questions, as OpenAI's chat completions: what OpenAI's clients send and read, with the reading of the "
    "jargon, the citations and the verdicts beside it in `golden`.",
    "dictionary": "The jargon dictionary: senses, contexts, unknown terms, history.",
    "documents": "The documents: upload, state, report, removal with proof.",
    "conversations": "What was asked and answered: one's own conversations to read, export and delete.",
    "feedback": "What askers say of answers.",
    "review": "Answers that somebody looks at again, and the cases that come of them.",
    "overview": "How much is asked, and how it is answered.",
    "me": "Who you are to this server, and what it offers you.",
    "keys": "API keys: make, show, revoke.",
    "metrics": "What a monitoring system reads.",
    "health": "Whether the server runs, and what it misses.",
}
# What the description says of each tag.
TAGS: list[dict[str, Any]] = [{"name": name, "description": text} for name, text in _TOLD.items()]

COMPLETION_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream` as server-sent events, of which the last is `data: [DONE]`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
