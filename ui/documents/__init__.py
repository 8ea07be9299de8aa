"""The documents: put in, watched while they are read, looked at, given to groups, removed with proof."""
