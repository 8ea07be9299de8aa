"""Decides whether a draft is written again."""
