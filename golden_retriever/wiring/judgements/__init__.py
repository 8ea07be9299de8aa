"""The judgements by stage of a question, one builder each: every implementation is named here and nowhere else."""
