"""One attempt to make a version: what a transaction read, conflicts with winners, and the put that decides.

What is done after a version is there, and may fail without harm, is in `upkeep`.
"""
