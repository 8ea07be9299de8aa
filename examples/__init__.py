"""The example handbook, its dictionary and its quiz, and the program that draws the documents."""
