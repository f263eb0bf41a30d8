"""What a worker keeps between tasks: within its room, for its owner, once in a round, and not for long."""

import os

import pytest
from discretion._part_cache import LONGEST, PartCache


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def part_cache(clock):
    return PartCache(clock)


def test_parts_are_kept_while_there_is_room(part_cache):
    assert part_cache.keep("a", 0, "first", 60, room=100)
    assert not part_cache.keep("b", 0, "second", 60, room=100), "whatever table they are of"
    assert part_cache.keep("b", 0, "second", 40, room=100)
    assert part_cache.size() == 100
    assert part_cache.keep("a", 0, "first again", 60, room=100) and part_cache.size() == 100, "a part is kept once"
    part_cache.forget("a")
    part_cache.forget("never heard of")
    assert part_cache.size() == 40
    assert part_cache.again("b", "round", {0: part_cache.name}) == {0: "second"}


def test_a_part_that_no_longer_fits_is_not_kept_as_it_was(part_cache):
    assert part_cache.keep("a", 0, "old", 10, room=100)
    assert not part_cache.keep("a", 0, "new", 200, room=100)
    assert part_cache.size() == 0


def test_a_process_answers_once_in_a_round_and_for_its_own_blocks(part_cache):
    for block in range(3):
        part_cache.keep("a", block, f"part {block}", 1, room=100)
    owners = {0: part_cache.name, 1: "somebody else", 2: part_cache.name}
    assert part_cache.again("a", "first", owners) == {0: "part 0", 2: "part 2"}
    assert part_cache.again("a", "first", owners) == {}
    assert part_cache.again("a", "second", owners) == {0: "part 0", 2: "part 2"}
    assert part_cache.size() == 2, "what another process owns by now is freed"
    assert part_cache.again("b", "second", owners) == {}, "another table's parts are not found"


def test_what_is_not_used_is_forgotten(part_cache, clock):
    part_cache.keep("old", 0, "part", 1, room=100)
    part_cache.keep("used", 0, "part", 1, room=100)
    clock.now = 0.9 * LONGEST
    part_cache.again("used", "round", {0: part_cache.name})
    clock.now = 1.1 * LONGEST
    assert part_cache.again("old", "round", {0: part_cache.name}) == {}
    assert part_cache.size() == 1


def test_a_forked_process_keeps_nothing_and_is_not_its_parent():
    from discretion._part_cache import PART_CACHE

    PART_CACHE.keep("a", 0, "part", 1, room=100)
    name = PART_CACHE.name
    try:
        child = os.fork()
        if child == 0:
            os._exit(0 if PART_CACHE.size() == 0 and PART_CACHE.name != name else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert PART_CACHE.size() == 1 and PART_CACHE.name == name
    finally:
        PART_CACHE.forget("a")
