"""Pipelines: datasets in files of SQL, which one command brings up to date in the order of their reads.

`specification` finds the files and the settings, `definitions` reads statements, `graph` orders datasets, `picture`
draws them, `texts` makes the statements to run, `planning` plans all without rows, `update` runs datasets in their
order, `filling` one of them, `events` records what happened, `report` prints it.
"""
