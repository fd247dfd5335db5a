#!/usr/bin/env python3
"""Django's command line, for this registry."""

import os
import sys

# They read no settings of a registry; without the apps they start in a fifth of the time. Name → app.
WITHOUT_APPS = {
    "benchmark": "grading",
    "check_package": "evidence",
    "circuit_check": "evidence",
    "import_har": "evidence",
}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry_site.settings")
    from django.core.management import execute_from_command_line, load_command_class

    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in WITHOUT_APPS:
        load_command_class(WITHOUT_APPS[name], name).run_from_argv(sys.argv)
    else:
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
