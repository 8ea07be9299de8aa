"""Reading for an answer: what a question asks for, what a passage states, and which of its quotes answers it."""

from tools.reading.concepts import Concept, TextWords, question_concepts, read_words
from tools.reading.questions import QuestionKind, QuestionShape, analyse_question, split_parts
from tools.reading.statements import Statement, read_statements

__all__ = [
    "Concept",
    "QuestionKind",
    "QuestionShape",
    "Statement",
    "TextWords",
    "analyse_question",
    "question_concepts",
    "read_statements",
    "read_words",
    "split_parts",
]
