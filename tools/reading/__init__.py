"""Reading for an answer: what a question asks for, what a passage states, and which statement answers it."""

from tools.reading.concepts import Concept, TextWords, question_concepts, read_words
from tools.reading.questions import QuestionKind, QuestionShape, analyse_question, split_parts
from tools.reading.scoring import ScoredStatement, StatementScorer
from tools.reading.statements import Statement, read_statements
from tools.tables.records import TableRecord, read_table

__all__ = [
    "Concept",
    "QuestionKind",
    "QuestionShape",
    "ScoredStatement",
    "Statement",
    "StatementScorer",
    "TableRecord",
    "TextWords",
    "analyse_question",
    "question_concepts",
    "read_statements",
    "read_table",
    "read_words",
    "split_parts",
]
