"""The pages on their own: in a process beside the server, as a client of its HTTP API."""
