"""The parts of the reverse pass."""
