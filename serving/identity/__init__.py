"""Who makes a request: told by a key, by a token of the company's identity provider, or by a proxy with a login."""
