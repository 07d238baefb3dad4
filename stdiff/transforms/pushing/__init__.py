"""The parts of the forward pass."""
