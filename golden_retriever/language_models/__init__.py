"""Language models by a short address: parsing it, a server on this machine, and what a server can do."""
