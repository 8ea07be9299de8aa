"""Labelled cases of the judgements, and the training examples that they become under the prompts used online."""
