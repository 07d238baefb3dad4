"""The parts of `simplify`: each rewrites a function in place, on its own, and says whether it changed anything."""
