"""The chat: a conversation over the API, with its readings, steps, citations on the page, and what people say of it."""
