"""What the command line is told besides SQL: the file of settings, values of parameters, shells that complete options.

Options themselves and exit codes are in `cli`. Nothing here runs a statement.
"""
