"""Plans: the logical one, a frozen node per statement in `statements`, and the closed set of physical operators.

Data only: names and SQL text stay as the user wrote them, with their places. What they mean is found in `planner`.
"""
