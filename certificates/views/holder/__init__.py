"""The holder's area: what its own people see and do, under /holder/."""
