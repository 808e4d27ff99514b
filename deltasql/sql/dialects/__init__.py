"""Where an engine takes SQL for something else than Spark does, one module per engine.

What Spark itself means is in `sql`.
"""
