"""Shards of a game, handed their packets by a loop in place of Ray; no test here needs Ray."""

from __future__ import annotations

import random

import numpy as np
import pytest

from numbered_graphs import Graph
from zermelo.cluster.keeper import Keeper
from zermelo.cluster.packets import pack
from zermelo.cluster.shard import Shard
from zermelo.errors import InputError
from zermelo.games.indexed import solve_indexed
from zermelo.jit import kernel
from zermelo.values import Outcome


class LostError(Exception):
    pass


def _solve(game: Graph, workers: int, block: int, chance: float) -> list[Shard]:
    """All levels; after each step its worker is lost by some chance, and the level repeated."""
    rng = random.Random(workers)
    bounds = [game.size * worker // workers for worker in range(workers + 1)]
    keeper = Keeper()

    def new(worker: int) -> Shard:
        return Shard(lambda: game, bounds, worker, block)

    def risk(worker: int) -> None:
        if rng.random() < chance:
            raise LostError(worker)

    def advance() -> list[list[int]]:
        for source, blocks in enumerate(queues):
            for number in blocks:
                packets = shards[source].expand(level, number)
                assert not packets[source]
                risk(source)
                for target, packet in enumerate(packets):
                    shards[target].apply(level, [(source, number)], packet)
                    risk(target)
        following = []
        for worker, shard in enumerate(shards):
            blocks, _, checkpoint = shard.seal(level)
            keeper.keep(worker, checkpoint)
            following.append(blocks)
            risk(worker)
        return following

    shards = [new(worker) for worker in range(workers)]
    queues = [shard.busy() for shard in shards]
    level = losses = 0
    while any(queues):
        try:
            queues = advance()
            level += 1
        except LostError as lost:
            worker = lost.args[0]
            shards[worker] = new(worker)
            assert shards[worker].restore(keeper.checkpoints(worker)) >= level
            losses += 1
    assert bool(losses) == bool(chance)
    return shards


@pytest.mark.parametrize(
    ("workers", "block", "chance"), [(1, 64, 0.0), (2, 1000, 0.1), (3, 50, 0.01)]
)
def test_shards_solve_what_one_process_solves(workers: int, block: int, chance: float) -> None:
    for seed in range(3):
        game = Graph(700, seed)
        alone = solve_indexed(game)
        shards = _solve(game, workers, block, chance)
        outcome, plies = (
            np.concatenate(column)
            for column in zip(*(shard.values(0, game.size) for shard in shards), strict=True)
        )
        assert (outcome == alone.outcome).all()
        assert (plies == alone.plies).all()
        assert alone.longest() > 5
        for result in Outcome:
            assert sum(shard.count(result, 90, 600) for shard in shards) == alone.count(
                result, 90, 600
            )
        assert max(shard.longest(90, 600) for shard in shards) == alone.longest(90, 600)


def test_a_state_is_checkpointed_whole_when_changes_have_grown() -> None:
    game = Graph(300, 5)
    shard = Shard(lambda: game, [0, 300], 0, 300)
    keeper, whole = Keeper(), []
    level = 0
    while shard.busy():
        shard.expand(level, 0)
        _, _, checkpoint = shard.seal(level)
        whole.append(checkpoint.whole)
        keeper.keep(0, checkpoint)
        level += 1
    assert whole[0] is False
    assert True in whole
    twin = Shard(lambda: game, [0, 300], 0, 300)
    assert twin.restore(keeper.checkpoints(0)) == level
    for mine, other in zip(shard._arrays(), twin._arrays(), strict=True):
        assert (mine == other).all()


def test_a_predecessor_that_is_no_number_is_refused() -> None:
    class Astray(Graph):
        def __init__(self) -> None:
            super().__init__(40, 1)

            @kernel
            def predecessors(i: int, out: np.ndarray) -> int:
                out[0] = 41
                return 1

            self.predecessors = predecessors

    game = Astray()
    with pytest.raises(InputError, match="Astray: predecessors are not below size, 40"):
        solve_indexed(game)
    with pytest.raises(InputError, match="Astray: predecessors are not below size, 40"):
        Shard(lambda: game, [0, 20, 40], 0).expand(0, 0)


def test_numbers_of_any_length_are_packed() -> None:
    gaps = np.array([1, 63, 64, 127, 128, 2**14, 2**21, 2**35, 2**49], np.int64)
    numbers = np.cumsum(gaps)
    keys = np.sort(np.repeat(numbers * 2 + 1, np.arange(1, numbers.size + 1)))
    out = np.empty(500, np.uint8)
    used = pack(keys, 0, out)
    assert unpacked(out[:used]) == [(int(n), k) for k, n in enumerate(numbers, 1)]


def unpacked(data: np.ndarray) -> list[tuple[int, int]]:
    """(number, count) of each notice, read as packets.py describes them, in plain Python."""
    words, value, shift = [], 0, 0
    for byte in data.tolist():
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            words.append(value)
            value = shift = 0
    found, key, rest = [], 0, iter(words)
    for word in rest:
        key += word >> 1
        assert key & 1
        found.append((key >> 1, next(rest) + 2 if word & 1 else 1))
    return found
