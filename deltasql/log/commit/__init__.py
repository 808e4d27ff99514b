"""One attempt to make a version: what a transaction read, conflicts with winners, and the put that decides."""
