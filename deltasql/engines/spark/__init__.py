"""Spark as an engine: answers the planner's questions about rows, and runs plans.

Adaptations to another engine, such as rewritten SQL for Sail, override `reading.frames.Frames` elsewhere.
"""
