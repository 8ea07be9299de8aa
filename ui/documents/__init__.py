"""The documents page: add, follow the reading, view, change groups, remove with proof."""
