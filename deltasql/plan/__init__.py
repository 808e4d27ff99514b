"""The logical plan: one frozen node per statement, in one module per statement family."""
