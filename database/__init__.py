"""Database access: connections, transactions, column types and migrations. The tables are defined elsewhere."""
