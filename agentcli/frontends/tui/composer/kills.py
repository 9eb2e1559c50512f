"""The kill ring: what was cut with the keyboard, to be put back with Ctrl+Y. Pure state."""

_KEPT = 60


class KillRing:
    """Texts, the newest last. Kills one after the other become one text."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._at = -1

    def push(self, text: str, join: bool, in_front: bool) -> None:
        """Keep *text*; *join* puts it to the last one, *in_front* of it where it was deleted
        backwards."""
        if not text:
            return
        if join and self._texts:
            last = self._texts.pop()
            text = text + last if in_front else last + text
        self._texts = [*self._texts[1 - _KEPT :], text]
        self._at = -1

    def newest(self) -> str:
        """The text that is put back first; "" if there is none."""
        self._at = -1
        return self._texts[-1] if self._texts else ""

    def rotate(self) -> str:
        """The text before the one that was given last, around the ring; "" if there is none."""
        if not self._texts:
            return ""
        self._at = (self._at - 1) % -len(self._texts) or -len(self._texts)
        return self._texts[self._at]
