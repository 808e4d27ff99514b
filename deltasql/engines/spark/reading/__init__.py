"""Physical operators and files of a table → DataFrames and Arrow rows. Writes nothing."""
