"""From pages to chunks: the sections that are summarised, and the passages in them that are found and cited."""
