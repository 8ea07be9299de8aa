"""Tables as data: their rows and values, and the questions that they answer."""
