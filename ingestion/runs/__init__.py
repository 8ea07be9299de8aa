"""One run: what is to be done with each file, done for several side by side, each stored as it is done."""
