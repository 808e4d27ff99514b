"""DataFrames → data files in a fresh directory of the table, with what the log says of each."""
