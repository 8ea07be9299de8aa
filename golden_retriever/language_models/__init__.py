"""Language models by short address: parsing addresses, finding or starting local servers, measuring their speed."""
