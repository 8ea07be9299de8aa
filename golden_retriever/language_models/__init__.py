"""Language models by a short address: parsing it, finding or starting a server on this machine, measuring its speed."""
