"""DataFrames with PySpark's methods: `session.read`, `write`, `writeTo`, `readStream`, `writeStream`.

Their calls are planned like SQL, by the rules of `statements.rules.data.frames`.
"""
