"""`python -m grading.harness`: the measuring client without Django."""

import sys

from grading.harness.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
