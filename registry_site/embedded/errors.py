"""What may go wrong while the embedded services start, said so that the reader can act on it."""


class CannotStart(Exception):
    """A plain sentence for the person at the terminal; the program ends with status 1."""


class Stopped(Exception):
    """SIGINT, SIGTERM or SIGHUP asked this program to end."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number
