"""People's records over HTTP: conversations, feedback, review, the overview."""
