"""What the runner is made of: which code and data it measures, and the outcomes that it keeps."""
