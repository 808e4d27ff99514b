"""How fast deltasql is beside its peers, in one run. `python -m benchmarks --help`."""
