"""What was read of one state of a store, kept for as long as that state lasts."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class KeptOfVersion(Generic[Key, Value]):
    """Keeps the values used last, ``most`` of them, as long as their store's version does not change.

    A value is only kept under a version that was seen before it was read. Whoever changes the store gives it another
    version, and then nothing of before is used any longer. Safe to share between threads.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._version: int | str | None = None
        self._lock = threading.Lock()

    def read(
        self, keys: Sequence[Key], version: int | str, read: Callable[[list[Key]], Mapping[Key, Value]]
    ) -> dict[Key, Value]:
        """Return the values of ``keys``, in their order, of which ``read`` brings those that are not kept.

        ``version`` is the store's, seen before this call; what was kept of any other is read again. Keys that ``read``
        leaves out are left out, and asked for again. It is not called where all is at hand, and never under the lock.
        """
        with self._lock:
            if version != self._version:
                self._kept.clear()
                self._version = version
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        if len(found) == len(keys):
            return found
        lacking = [key for key in dict.fromkeys(keys) if key not in found]
        if not lacking:
            return found
        new = read(lacking)
        with self._lock:
            # Another thread may have seen a later version meanwhile.
            if version == self._version:
                self._kept.update(new)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return {key: new[key] if key in new else found[key] for key in keys if key in new or key in found}
