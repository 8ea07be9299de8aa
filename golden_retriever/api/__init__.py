"""The Python API: a bot that works on a data folder, in an asynchronous and a synchronous version."""
