"""Golden files: `x.sql` is run statement by statement, and what happened is compared with `x.out`."""

from deltasql.golden.suite import GoldenOutcome, discover, run_file, temporary_sessions

__all__ = ["GoldenOutcome", "discover", "run_file", "temporary_sessions"]
