"""Entry of server, manage, test and bench: runs registry_site.embedded from any working directory."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from registry_site.embedded import commands  # noqa: E402  (the path above comes first)

sys.exit(commands.main(sys.argv[1:]))
