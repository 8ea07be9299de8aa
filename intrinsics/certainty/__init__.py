"""Estimates the probability that an answer is correct."""
