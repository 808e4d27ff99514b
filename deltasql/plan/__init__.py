"""Plans: the logical one, a frozen node per statement in `statements`, and the closed set of physical operators.

Data only: names and SQL text are as the user wrote them, with their positions. They are resolved in `planner`.
"""
