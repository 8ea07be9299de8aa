"""Values and errors that all other folders share."""
