"""Golden files: `x.sql` is run statement by statement, and its output is compared with `x.out`.

For the users of deltasql and for its own tests, through the public methods of a Session. It reads logs, but does not
change them.
"""

from deltasql.clients.golden.parallel import AUTO, run_files
from deltasql.clients.golden.suite import GoldenOutcome, discover, run_file, temporary_sessions

__all__ = ["AUTO", "GoldenOutcome", "discover", "run_file", "run_files", "temporary_sessions"]
