"""Any history of prompts, writes, changes by hand, rewinds, resumes: states come back exactly."""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.session.checkpoint_world import World

_NAMES = st.sampled_from(["a", "b", "sub/c", os.fsdecode(b"sub/\xff")])
_DATA = st.sampled_from([b"", b"one\n", b"two\r\n", b"\x00\xff", b"three" * 2000])


class Rewinding(RuleBasedStateMachine):
    """Beside the real files: what they were at each checkpoint, and who changed them by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.world = World(self.folder)
        self.then: dict[str, dict[str, tuple[bytes, int]]] = {}
        self.by_hand: dict[str, set[str]] = {}
        self.ours: dict[str, bytes | None] = {}  # what the session last made of a file
        self.prompt()

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def _rewound(
        self, before: dict[str, tuple[bytes, int]], after: dict[str, tuple[bytes, int]]
    ) -> None:
        for name in before.keys() | after.keys():
            if before.get(name) != after.get(name):
                self.ours[name] = after[name][0] if name in after else None

    def _begin(self, group: str) -> None:
        self.then[group] = self.world.state()
        self.by_hand[group] = set()

    @rule()
    def prompt(self) -> None:
        self._begin(self.world.prompt())

    @rule(name=_NAMES, data=_DATA)
    def write(self, name: str, data: bytes) -> None:
        self.world.write(name, data)
        self.ours[name] = data

    @rule(name=_NAMES, data=_DATA)
    def write_by_hand(self, name: str, data: bytes) -> None:
        path = self.world.path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        self._changed(name)

    @rule(name=_NAMES)
    def delete_by_hand(self, name: str) -> None:
        self.world.path(name).unlink(missing_ok=True)
        self._changed(name)

    def _changed(self, name: str) -> None:
        for names in self.by_hand.values():
            names.add(name)

    @rule()
    def resume(self) -> None:
        self.world.reopen()

    def _group(self, place: int) -> str:
        return list(self.then)[place % len(self.then)]

    @rule(place=st.integers(0, 99))
    def rewind(self, place: int) -> None:
        group = self._group(place)
        before = self.world.state()
        planned = self.world.plan(group).changes
        report = self.world.rewind(group)
        after = self.world.state()
        for name in (before.keys() | self.then[group].keys()) - self.by_hand[group]:
            assert after.get(name) == self.then[group].get(name), name
        for name in before.keys() - after.keys():
            assert before[name][0] == self.ours.get(name), name
        self._rewound(before, after)
        assert len(planned) == len(report.restored + report.deleted + report.problems)
        assert bool(report.undo) == (before != after)
        if report.undo:
            self.then[report.undo], self.by_hand[report.undo] = before, set()

    @rule(place=st.integers(0, 99))
    def rewind_and_undo(self, place: int) -> None:
        group = self._group(place)
        before = self.world.state()
        report = self.world.rewind(group)
        if report.undo:
            self.then[report.undo], self.by_hand[report.undo] = before, set()
            middle = self.world.state()
            self._rewound(before, middle)
            undone = self.world.rewind(report.undo)
            self._rewound(middle, self.world.state())
            assert not undone.problems
            self.then[undone.undo], self.by_hand[undone.undo] = middle, set()
        assert self.world.state() == before


TestRewinding = Rewinding.TestCase
TestRewinding.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)
