"""Statement nodes into plans: one pure rule per statement, in `statements`, by families.

A rule asks a Context and changes nothing. What its plan comes to is done by `execution`.
"""

from deltasql.planner import statements
from deltasql.planner.idempotency import plan_statement
from deltasql.planner.rule import plan

__all__ = ["plan", "plan_statement", "statements"]
