"""How fast the product is and how much memory it takes: figures that mean something on a machine that is busy."""
