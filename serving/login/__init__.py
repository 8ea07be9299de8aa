"""Logging in with a browser: a page for a key or for the company's provider, and a session from then on."""
