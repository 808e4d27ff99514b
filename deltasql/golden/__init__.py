"""Golden files: `x.sql` is run statement by statement, and what happened is compared with `x.out`.

For the users of deltasql as well as for its own tests. It asks a Session, as they do, and reads logs; it changes none.
"""

from deltasql.golden.parallel import AUTO, run_files
from deltasql.golden.suite import GoldenOutcome, discover, run_file, temporary_sessions

__all__ = ["AUTO", "GoldenOutcome", "discover", "run_file", "run_files", "temporary_sessions"]
