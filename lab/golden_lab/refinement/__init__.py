"""What refinement after the draft is worth: a threshold of one's own, and the study of policies."""
