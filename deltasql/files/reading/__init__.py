"""Rows of data files as Arrow tables and batches. Writes nothing."""
