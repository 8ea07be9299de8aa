"""Tables as data: their rows and values, and questions that they answer."""
