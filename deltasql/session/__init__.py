"""Sessions: planned statements are run and committed here; scripts, transactions and DataFrames are theirs.

Rules of single statements are in `statements`, ways to compute rows in `engines`.
"""
