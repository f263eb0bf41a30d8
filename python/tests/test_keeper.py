"""What a worker keeps between tasks: within its room, for its owner, once in a round, and not for long."""

import os

import pytest
from discretion._keeper import LONGEST, Keeper


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def keeper(clock):
    return Keeper(clock)


def test_parts_are_kept_while_there_is_room(keeper):
    assert keeper.keep("a", 0, "first", 60, room=100)
    assert not keeper.keep("b", 0, "second", 60, room=100), "whatever table they are of"
    assert keeper.keep("b", 0, "second", 40, room=100)
    assert keeper.held() == 100
    assert keeper.keep("a", 0, "first again", 60, room=100) and keeper.held() == 100, "a part is kept once"
    keeper.forget("a")
    keeper.forget("never heard of")
    assert keeper.held() == 40
    assert keeper.again("b", "round", {0: keeper.name}) == {0: "second"}


def test_a_part_that_no_longer_fits_is_not_kept_as_it_was(keeper):
    assert keeper.keep("a", 0, "old", 10, room=100)
    assert not keeper.keep("a", 0, "new", 200, room=100)
    assert keeper.held() == 0


def test_a_process_answers_once_in_a_round_and_for_its_own_blocks(keeper):
    for block in range(3):
        keeper.keep("a", block, f"part {block}", 1, room=100)
    owners = {0: keeper.name, 1: "somebody else", 2: keeper.name}
    assert keeper.again("a", "first", owners) == {0: "part 0", 2: "part 2"}
    assert keeper.again("a", "first", owners) == {}
    assert keeper.again("a", "second", owners) == {0: "part 0", 2: "part 2"}
    assert keeper.held() == 2, "what another process owns by now is freed"
    assert keeper.again("b", "second", owners) == {}, "another table's parts are not found"


def test_what_is_not_used_is_forgotten(keeper, clock):
    keeper.keep("old", 0, "part", 1, room=100)
    keeper.keep("used", 0, "part", 1, room=100)
    clock.now = 0.9 * LONGEST
    keeper.again("used", "round", {0: keeper.name})
    clock.now = 1.1 * LONGEST
    assert keeper.again("old", "round", {0: keeper.name}) == {}
    assert keeper.held() == 1


def test_a_forked_process_keeps_nothing_and_is_not_its_parent():
    from discretion._keeper import KEEPER

    KEEPER.keep("a", 0, "part", 1, room=100)
    name = KEEPER.name
    try:
        child = os.fork()
        if child == 0:
            os._exit(0 if KEEPER.held() == 0 and KEEPER.name != name else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert KEEPER.held() == 1 and KEEPER.name == name
    finally:
        KEEPER.forget("a")
