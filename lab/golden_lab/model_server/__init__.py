"""Language models of this process behind OpenAI's protocol: a small server for trying adapters."""
