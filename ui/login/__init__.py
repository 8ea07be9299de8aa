"""Logging in with a browser: a page for a key or the company's identity provider, and then a session."""
