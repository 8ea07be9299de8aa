"""Identification of callers by a key, a token of the company's identity provider, or a proxy with a login."""
