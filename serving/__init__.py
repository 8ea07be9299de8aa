"""Access over HTTP: the OpenAI-compatible API, health, errors."""
