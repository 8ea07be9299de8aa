"""The chat: a conversation with its interpretations, steps, citations on the page, and feedback."""
