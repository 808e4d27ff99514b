"""Command line apart from SQL: configuration file, parameter values, shell completion of options.

Options and exit codes are in `cli`. No statement runs in these modules.
"""
