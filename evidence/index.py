"""From ids to places, for a million ids, in little memory."""

from array import array


class Index:
    """From a 64-bit key (`hash` of a text) to its place, in 25 bytes an entry; a dict of texts takes 150.

    Open addressing over two arrays. Keys are Python's own keyed hash of a text, so nobody can prepare a collision; two
    ids of a million-item package collide by chance with probability 3e-8, and then the package is refused, not
    miscounted.
    """

    def __init__(self) -> None:
        self.keys = array("q")
        self._table = array("I", bytes(4 * 1024))
        self._mask = 1023
        self._free = 512

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, key: int) -> int:
        """The place of a new key, or -1 - place when it was there already."""
        keys, table, mask = self.keys, self._table, self._mask
        slot = key & mask
        while place := table[slot]:
            if keys[place - 1] == key:
                return -place
            slot = (slot + 1) & mask
        keys.append(key)
        table[slot] = len(keys)
        self._free -= 1
        if self._free < 0:
            self._grow()
        return len(keys) - 1

    def skip(self) -> int:
        """Take a place that no key leads to."""
        self.keys.append(0)
        return len(self.keys) - 1

    def find(self, key: int) -> int:
        """The place of a key, or -1."""
        keys, table, mask = self.keys, self._table, self._mask
        slot = key & mask
        while place := table[slot]:
            if keys[place - 1] == key:
                return place - 1
            slot = (slot + 1) & mask
        return -1

    def _grow(self) -> None:
        size = (self._mask + 1) * 4
        old = self._table
        self._table = table = array("I", bytes(4 * size))
        self._mask = mask = size - 1
        self._free = size // 2 - len(self.keys)
        keys = self.keys
        for place in old:
            if place:
                slot = keys[place - 1] & mask
                while table[slot]:
                    slot = (slot + 1) & mask
                table[slot] = place
