"""DataFrames in PySpark's words: `session.read`, `write`, `writeTo`, `readStream`, `writeStream`.

What they come to is planned like SQL, by the rules of `planner.statements.data.frames`.
"""
