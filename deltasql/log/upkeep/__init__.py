"""Post-commit work and log maintenance: checksums, checkpoints, compacted files, clean-up.

None of it can undo the commit. Data files are not touched: VACUUM is in `execution`.
"""
