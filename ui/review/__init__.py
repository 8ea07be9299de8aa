"""Review: what somebody should look at again, asked again, made a test case, run and scored."""
