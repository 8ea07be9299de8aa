"""Training data: what is asked, what should be answered, and what a model is given to answer from."""
