"""The database of dictionary and library: connections, transactions, column types, migrations. It defines no tables."""
