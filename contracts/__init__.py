"""Values and errors that every other folder shares; standard library only."""
