"""A case of each intrinsic, as somebody writes it into a file."""

from typing import Any

PUMP = {
    "text": "The P-200 pump runs at 48 V. Its bearing is greased every 500 hours.",
    "title": "Pump P-200",
    "headings": ["Operation"],
}
HALL = {"text": "The canteen opens at 11:30. It closes at 14:00.", "title": "Site"}
ASKED = "At which voltage does the P-200 pump run?"

# For each: one case with an adapter published, and the words of its reply by that adapter.
PUBLISHED: dict[str, tuple[dict[str, Any], str]] = {
    "question_rewriting": (
        {
            "history": [
                {"role": "user", "text": "At which voltage does the P-200 pump run?"},
                {"role": "assistant", "text": "At 48 V."},
            ],
            "question": "And how often is it greased?",
            "rewritten": "How often is the P-200 pump greased?",
        },
        '{"rewritten_question": "How often is the P-200 pump greased?"}',
    ),
    "context_relevance": (
        {"question": ASKED, "passage": PUMP, "label": "partial"},
        '{"context_relevance": "partially relevant"}',
    ),
    "answerability": (
        {
            "question": "Which PSU does the P-200 pump need?",
            "definitions": [{"term": "PSU", "meaning": "power supply unit"}],
            "passages": [PUMP, HALL],
            "answerable": False,
        },
        "unanswerable",
    ),
    "certainty": (
        {"question": ASKED, "answer": "It runs at 48 V.", "passages": [PUMP], "percent": 5},
        "05%",
    ),
    "faithfulness": (
        {
            "question": ASKED,
            "answer": ["Sure!", "The P-200 pump runs at 48 V.", "It is greased by the night shift."],
            "passages": [PUMP],
            "judged": [
                {"label": "no_claim", "reason": "It claims nothing."},
                {"label": "faithful", "reason": "It runs at 48 V."},
                {"label": "partial", "reason": "Who greases it is not said."},
            ],
        },
        '[{"i": 0, "r": "It claims nothing.", "f": "NA"}, {"i": 1, "r": "It runs at 48 V.", "f": "faithful"}, '
        '{"i": 2, "r": "Who greases it is not said.", "f": "partial"}]',
    ),
    "citation": (
        {
            "question": ASKED,
            "answer": ["The P-200 pump runs at 48 V.", "The canteen closes at 14:00."],
            "passages": [PUMP, HALL],
            "citations": [
                {"sentence": 0, "passage": 0, "passage_sentences": [0]},
                {"sentence": 1, "passage": 1, "passage_sentences": [1]},
            ],
        },
        '[{"r": 0, "c": [0]}, {"r": 1, "c": [3]}]',
    ),
}
# Those with messages of their own, and the words of their replies.
PROMPTED: dict[str, tuple[dict[str, Any], str]] = {
    "certainty": (PUBLISHED["certainty"][0], "no"),
    "answer_generation": (
        {
            "question": ASKED,
            "passages": [HALL, PUMP],
            "sentences": [
                {"text": "The P-200 pump runs at 48 V.", "passages": [1]},
                {"text": "The passages do not say which plug it has."},
            ],
        },
        "The P-200 pump runs at 48 V [2]. The passages do not say which plug it has.",
    ),
    "summarisation": (
        {"text": PUMP["text"], "title": "Pump", "summary": "Feeding and greasing.", "questions": [ASKED]},
        '{"summary": "Feeding and greasing.", "questions": ["At which voltage does the P-200 pump run?"]}',
    ),
    "question_writing": (
        {"passage": PUMP, "questions": [{"question": ASKED, "answer": "48 V"}]},
        '{"questions": [{"question": "At which voltage does the P-200 pump run?", "answer": "48 V"}]}',
    ),
    "term_mining": (
        {
            "text": "The power supply unit (PSU) is in hall 4.",
            "terms": [
                {"term": "PSU", "expansion": "power supply unit", "evidence": "The power supply unit (PSU) is in hall"}
            ],
        },
        '{"terms": [{"term": "PSU", "expansion": "power supply unit", '
        '"evidence": "The power supply unit (PSU) is in hall"}]}',
    ),
}
