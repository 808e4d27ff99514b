"""What else is asked of a log: streams, change data feed, unused and missing files, clustering.

The state of one version is in `replay`. Nothing here writes.
"""
