"""Decides whether a draft is rewritten."""
