"""The embedded default: PostgreSQL and Valkey from wheels, and the processes of the registry, on one machine.

`places` knows where things lie, `postgresql` and `valkey` one server each, `services` both; `processes` how
children start and end, `supervision` how they are watched; `claim` who has a data folder, `environment` what
a child is told; `server` and `commands` do what script/… asks for.
"""
