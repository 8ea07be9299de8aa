"""Records of use: conversations with their turns, feedback, reviews, and test cases made from turns."""
