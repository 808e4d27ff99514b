"""`python -m deltasql` is the command `deltasql`."""

import sys

from deltasql.clients.cli import main

if __name__ == "__main__":
    sys.exit(main())
