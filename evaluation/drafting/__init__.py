"""An organisation's own cases: drafted from its documents, decided on by a person, kept in a file of lines."""
