"""Language models by one short address: what it means, a server on this machine, and what a server can do."""
