"""The Python API: a bot over a data folder, asynchronous and synchronous."""
