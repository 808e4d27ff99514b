"""Spark behind the door: answers the planner's questions about rows, and runs what was planned.

What is not Spark's own, such as SQL that Sail needs spelled otherwise, overrides `reading.frames.Frames` elsewhere.
"""
