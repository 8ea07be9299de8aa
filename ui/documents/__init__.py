"""The documents page: add documents, follow the reading, view, change groups, remove with proof."""
