"""People's records over HTTP: conversations, feedback, reviews and the overview."""
