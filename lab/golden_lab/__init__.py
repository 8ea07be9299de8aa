"""The laboratory: studies of the five papers, public benchmarks, calibration, training and speed measurements."""
