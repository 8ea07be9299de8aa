"""Records of use: conversations and their turns, feedback, reviews, and test cases made from them."""
