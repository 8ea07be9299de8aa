"""The review page: turns to check, replays, test cases and their runs."""
