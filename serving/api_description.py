"""What the description of the API says of the questions' routes: answers, errors of one shape, examples."""

import json
from typing import Any

from serving.wire import ProblemBody

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
    "settings": "The settings in force, secrets masked.",
    "widget": "The help bot for pages of the intranet.",
    "metrics": "What a monitoring system reads.",
    "health": "Whether the server runs, and what it misses.",
}
# What the description says of each tag.
TAGS: list[dict[str, Any]] = [{"name": name, "description": text} for name, text in _TOLD.items()]

_PROBLEMS = {
    400: "The request must change; `param` names the field.",
    401: "The server asks for API keys, and the request brings none that is in force.",
    403: "The request could come from another web page, or its key has not the scope.",
    404: "There is no such model for whoever asks.",
    413: "The body is too large.",
    429: "The key has asked too often; `Retry-After` says when to come back.",
    500: "Something broke; the log has the details under the request's id.",
    503: "Something that is needed is not there just now: try again later.",
}
_PROBLEM = {
    "error": {"message": "The model 'gpt-4o' does not exist.", "type": "invalid_request_error", "param": "model"}
}
_CHUNK = {
    "id": "chatcmpl-1f0c",
    "object": "chat.completion.chunk",
    "created": 1790000000,
    "model": "golden",
    "choices": [
        {"index": 0, "delta": {"content": "VPP is 2.5 V on DDR4 [1]."}, "logprobs": None, "finish_reason": None}
    ],
}
_ANSWER = {
    "id": "chatcmpl-1f0c",
    "object": "chat.completion",
    "created": 1790000000,
    "model": "golden",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "VPP is 2.5 V on DDR4 [1].\n\n**Sources**\n\n- [1] bus.pdf, page 3",
                "refusal": None,
                "annotations": [
                    {
                        "type": "file_citation",
                        "file_id": "9b1d",
                        "filename": "bus.pdf",
                        "index": 21,
                        "start_index": 21,
                        "end_index": 24,
                        "page": 3,
                        "quote": "VPP is 2.5 V on DDR4.",
                    }
                ],
                "citations": ["bus.pdf#page=3"],
                "sources": [],
                "golden": {"outcome": "answered", "certainty": 0.9},
            },
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 17, "total_tokens": 22},
}

COMPLETION_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream` as server-sent events, of which the last is `data: [DONE]`.",
        "content": {
            "application/json": {"example": _ANSWER},
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": f"data: {json.dumps(_CHUNK)}\n\ndata: [DONE]\n\n",
            },
        },
    }
}
MODEL_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "application/json": {
                "example": {
                    "object": "list",
                    "data": [
                        {
                            "id": "golden/nand-docs",
                            "object": "model",
                            "created": 1790000000,
                            "owned_by": "golden-retriever",
                            "name": "golden/nand-docs",
                        }
                    ],
                }
            }
        }
    }
}


def problems_told(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of a route's errors: ``statuses``, those of every route, and the shape of any other."""
    told: dict[int | str, dict[str, Any]] = {
        status: {
            "model": ProblemBody,
            "description": _PROBLEMS[status],
            "content": {"application/json": {"example": _PROBLEM}} if status == 404 else {},
        }
        for status in sorted({401, 403, 429, *statuses})
    }
    return {**told, "default": {"model": ProblemBody, "description": "Any other error, of the same shape."}}
