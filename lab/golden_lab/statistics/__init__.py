"""Statistics of agreement between raters."""
