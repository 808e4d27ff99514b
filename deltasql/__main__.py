"""`python -m deltasql` is the command `deltasql`."""

import sys

from deltasql.cli import main

if __name__ == "__main__":
    sys.exit(main())
