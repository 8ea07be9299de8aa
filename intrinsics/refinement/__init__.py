"""Decides whether to rewrite a draft."""
