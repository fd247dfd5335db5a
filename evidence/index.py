"""From ids to places, for a million ids, in little memory."""

from array import array


class Index:
    """From 64-bit keys (`hash` of a text) to their places, in 25 bytes an entry; a dict of texts takes 150.

    Open addressing over two arrays; the table is made when it is first asked, for most packages never are: their lines
    come in the order of the items. Keys are Python's own keyed hash of a text, so nobody can prepare a collision; two
    ids of a million-item package collide by chance with probability 3e-8, and then the package is refused, not
    miscounted. Key 0 stands for a place that nothing leads to.
    """

    def __init__(self) -> None:
        self.keys = array("q")
        self._table = array("I", bytes(4 * 1024))
        self._mask = 1023
        self._indexed = 0

    def __len__(self) -> int:
        return len(self.keys)

    def append(self, key: int) -> int:
        """Take the next place, whether or not the key is there already."""
        self.keys.append(key)
        return len(self.keys) - 1

    def extend(self, keys: list[int]) -> None:
        """Take the next places."""
        # An array takes an array in at once, anything else key by key.
        self.keys.extend(array("q", keys))

    def repeated(self) -> list[int]:
        """The places whose key stands at an earlier place too."""
        keys = self.keys
        if len(set(keys)) == len(keys):
            return []
        seen: set[int] = {0}
        again = []
        for place, key in enumerate(keys):
            if key in seen:
                if key:
                    again.append(place)
            else:
                seen.add(key)
        return again

    def add(self, key: int) -> int:
        """The place of a key: a new one, or -1 - place when it was there already."""
        place = self.find(key)
        if place >= 0:
            return -1 - place
        return self.append(key)

    def find(self, key: int) -> int:
        """The first place of a key, or -1."""
        keys = self.keys
        if self._indexed < len(keys):
            self._insert()
        table, mask = self._table, self._mask
        slot = key & mask
        while place := table[slot]:
            if keys[place - 1] == key:
                return place - 1
            slot = (slot + 1) & mask
        return -1

    def _insert(self) -> None:
        """Bring the table up to date; at most half of it is ever full."""
        keys = self.keys
        if len(keys) * 2 > self._mask:
            size = 1024
            while size < len(keys) * 3:
                size *= 2
            self._table = array("I", bytes(4 * size))
            self._mask = size - 1
            self._indexed = 0
        table, mask = self._table, self._mask
        for place in range(self._indexed, len(keys)):
            key = keys[place]
            if not key:
                continue
            slot = key & mask
            while other := table[slot]:
                if keys[other - 1] == key:
                    break
                slot = (slot + 1) & mask
            else:
                table[slot] = place + 1
        self._indexed = len(keys)
