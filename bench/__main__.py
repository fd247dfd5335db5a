"""Runs the benchmarks by name and prints their rows as one table; status 1 when a ratio is not met."""

import importlib
import platform
import sys
from pathlib import Path

from bench.table import Row, text

FRAME = {"__init__", "__main__", "table", "cost"}


def main(names: list[str]) -> int:
    known = sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem not in FRAME)
    unknown = [name for name in names if name not in known]
    if unknown:
        print(
            f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(known) or 'none yet'}",
            file=sys.stderr,
        )
        return 2
    rows: list[Row] = []
    for name in names or known:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows.extend(importlib.import_module(f"bench.{name}").rows())
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {platform.system()} {platform.release()}"
    )
    print(text(rows))
    return 0 if all(row.is_met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
