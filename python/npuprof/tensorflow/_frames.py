"""Loops and branches of graphs that have no functions for them: operators of such a loop are in a
frame between Enter and Exit, and those of a branch behind a Switch."""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, List, Sequence, Tuple

Frame = Tuple[str, ...]  # From the outermost one.
Guard = Tuple[str, int, Frame]  # The condition, its side, and where it is.
Place = Tuple[Frame, FrozenSet[Guard]]

SWITCHES = ("Switch", "RefSwitch")
_MERGES = ("Merge", "RefMerge")
_ENTERS = ("Enter", "RefEnter")
_EXITS = ("Exit", "RefExit")
_NEXT = ("NextIteration", "RefNextIteration")


def _sorted(ops: Sequence[Any]) -> List[Any]:
    """Each operator after those that it takes from, but for iterations before."""
    among = {op.name: op for op in ops}
    done: Dict[str, Any] = {}
    for first in ops:
        waiting = [first]
        while waiting:
            op = waiting[-1]
            before = [] if op.type in _NEXT else \
                [tensor.op for tensor in op.inputs] + list(op.control_inputs)
            before = [other for other in before if other.name in among and
                      other.name not in done and other.type not in _NEXT]
            if before and len(waiting) <= len(among):
                waiting.append(before[0])
                continue
            done.setdefault(op.name, op)
            waiting.pop()
    return list(done.values())


class Layout:
    """Operators as often as they ran, each iteration of a loop after the one before."""

    def __init__(self, ops: Sequence[Any], count: Callable[[str], int]) -> None:
        """`count` tells how often an operator ran, as far as TensorFlow says so."""
        self._places: Dict[str, Place] = {}
        self._runs: Dict[Place, int] = {}
        self._entries: Dict[Frame, int] = {}  # How often each frame was entered.
        ops = _sorted(ops)
        for op in ops:
            place = self._place_of(op)
            self._places[op.name] = place
            # Some operators were made one with others; all of a place ran equally often.
            if op.type not in _EXITS:
                self._runs[place] = max(self._runs.get(place, 0), count(op.name))
            if op.type in _ENTERS:
                self._entries[place[0]] = max(self._entries.get(place[0], 0), count(op.name))
        self._begun: Dict[Frame, int] = {}
        self.ops = self._lay_out(ops, (), 0)

    def _place_of(self, op: Any) -> Place:
        before = [tensor for tensor in op.inputs
                  if tensor.op.type not in _NEXT and tensor.op.name in self._places]
        places = [self._behind(tensor) for tensor in before]
        places += [self._places[other.name] for other in op.control_inputs
                   if other.name in self._places]
        frame = max((frame for frame, _ in places), key=len, default=())
        sets = [guards for _, guards in places]
        if op.type in _MERGES and len(sets) > 1:
            return frame, frozenset.intersection(*sets)
        guards = frozenset().union(*sets)
        if op.type in _ENTERS:
            return (*frame, op.get_attr("frame_name").decode()), guards
        if op.type in _EXITS:
            return frame[:-1], frozenset(guard for guard in guards if guard[2] != frame)
        return frame, guards

    def _behind(self, tensor: Any) -> Place:
        frame, guards = self._places[tensor.op.name]
        if tensor.op.type in SWITCHES:
            guards = guards | {(tensor.op.inputs[1].name, tensor.value_index, frame)}
        return frame, guards

    def _lay_out(self, ops: Sequence[Any], frame: Frame, place_of_run: int) -> List[Any]:
        """An iteration of a frame. Of all iterations that its runs made it has this place, if those
        of each number came after one another: what ran less often is not in the last ones."""
        found: List[Any] = []
        entered = set()
        for op in ops:
            inside, guards = self._places[op.name]
            if inside == frame:
                if (not guards and not frame) or place_of_run < self._runs.get((inside, guards), 1):
                    found.append(op)
            elif inside[:-1] == frame and inside not in entered:
                entered.add(inside)
                if place_of_run < self._entries.get(inside, 0):
                    found += self._iterations(ops, inside)
        return found

    def _iterations(self, ops: Sequence[Any], frame: Frame) -> List[Any]:
        """A run of a frame. Which of them had how many iterations is not known: all the same."""
        members = [op for op in ops if self._places[op.name][0][:len(frame)] == frame]
        total = max(times for (inside, _), times in self._runs.items() if inside == frame)
        runs = max(self._entries[frame], 1)
        run = self._begun.get(frame, 0)
        self._begun[frame] = run + 1
        found: List[Any] = []
        for place in range(run, total, runs):
            found += self._lay_out(members, frame, place)
        return found
