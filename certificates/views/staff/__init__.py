"""The rooms of the registry: each module is one noun; `desk` is the door they all share."""
