"""Calibration: the commands that fit the coefficients stored beside the embedded judges, and measure them."""
