"""What follows a commit or keeps a log short: checksums, checkpoints, compacted files, clean-up."""
