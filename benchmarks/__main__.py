"""All benchmarks: `python -m benchmarks`."""

from benchmarks import deriving

deriving.main()
