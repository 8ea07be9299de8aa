"""Judgements: text in, typed verdict out, each a replaceable part."""
