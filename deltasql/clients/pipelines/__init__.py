"""Pipelines: datasets in files of SQL, which one command brings up to date in the order of their reads.

`specification` finds the files and the settings, `definitions` reads statements, `graph` orders datasets, `picture` draws
them, `planning` plans all without rows, `update` runs them, `events` records what happened, `report` prints it.
"""
