"""People's records over HTTP: conversations, feedback, the review desk, the overview."""
