"""The value of refining drafts: calibration of your own threshold, and a study of policies."""
