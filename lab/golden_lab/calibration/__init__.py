"""The calibration commands, which fit and measure the coefficients stored with the embedded judges."""
