"""What Spark raises → the typed errors of deltasql, placed in the user's own SQL."""
