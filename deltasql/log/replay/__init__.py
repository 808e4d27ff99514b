"""From log files to a version: segments, checkpoints, reconciliation of actions, snapshots, history."""
