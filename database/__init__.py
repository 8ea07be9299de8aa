"""One database for dictionary and library: how it is opened, read from, written to and migrated. No table is here."""
