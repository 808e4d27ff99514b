"""One attempt to make a version: the read set, conflicts with winners, and the put that decides.

Work after the commit, whose failure does no harm, is in `upkeep`.
"""
