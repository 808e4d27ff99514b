"""Spark behind the door: answers the planner's questions about rows, and runs what was planned."""
