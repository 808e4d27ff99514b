"""The logical plan: one frozen node per statement, in one module per family, and the physical operators.

Data only: names and SQL text stay as the user wrote them, with their places. What they mean is found in `planner`.
"""
