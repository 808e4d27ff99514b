"""From log files to a version: segments, checkpoints, reconciliation of actions, snapshots, history.

Reads only. Checkpoints are written in `upkeep`, versions in `commit`.
"""
