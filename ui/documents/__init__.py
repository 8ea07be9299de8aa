"""The documents page: add documents, watch their ingestion, view them, change groups, remove with proof."""
