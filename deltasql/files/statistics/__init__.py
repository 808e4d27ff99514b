"""Statistics of a data file as the log stores them: from its footer, or from its rows.

How they are read back from the log, and which files a predicate need not read, is in `log/replay` and `skipping`.
"""
