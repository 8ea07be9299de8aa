"""What refinement after the draft is worth: your own threshold, and the study of policies."""
