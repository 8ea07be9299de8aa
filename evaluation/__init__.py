"""Evaluation with an organisation's own test cases: quizzes, case files, scores and reports."""
