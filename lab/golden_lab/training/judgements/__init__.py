"""Labelled cases of the judgements, and the training examples made from them with the prompts used online."""
