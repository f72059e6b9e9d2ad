"""Games that number their positions, against the same games in Python and published figures."""

from __future__ import annotations

import numpy as np
import pytest

from zermelo.errors import InputError, TableError
from zermelo.games.certificate import check_indexed
from zermelo.games.indexed import ABSENT, solve_indexed
from zermelo.games.induction import OPEN
from zermelo.games.library import teeko
from zermelo.games.library.dodgem import Dodgem
from zermelo.games.library.dodgem_indexed import IndexedDodgem
from zermelo.games.library.teeko import Teeko
from zermelo.games.solution import solve_game
from zermelo.jit import kernel
from zermelo.values import DRAW, Outcome, Value


@pytest.mark.parametrize("stuck_wins", [True, False])
def test_dodgem_numbered_is_dodgem(stuck_wins: bool) -> None:
    game = IndexedDodgem(3, stuck_wins)
    numbered, plain = solve_indexed(game), solve_game(Dodgem(3, stuck_wins))
    assert numbered.positions == len(plain.positions)
    for position in plain.positions:
        number = game.number(position)
        assert numbered.value(number) == plain.value(position)
        targets = {target for target, _ in numbered.moves(number)}
        assert targets == {game.number(move.to) for move in plain.moves(position)}


def test_dodgem_four_by_four() -> None:
    solved = solve_indexed(IndexedDodgem(4))
    counts = [solved.count(outcome) for outcome in (Outcome.WIN, Outcome.LOSS, Outcome.DRAW)]
    assert (solved.positions, counts) == (393900, [209489, 149130, 35281])
    assert (solved.value(), solved.longest()) == (DRAW, 42)


class Countdown:
    """Take one or two of n counters; who cannot loses. Numbers from 50 up stand for nothing."""

    size, start, degree = 60, 49, 2

    @staticmethod
    @kernel
    def outcome(i: int) -> int:
        return 3 if i >= 50 else (2 if i else -1)

    @staticmethod
    @kernel
    def successors(i: int, out: np.ndarray) -> int:
        out[0] = i - 1
        if i == 1:
            return 1
        out[1] = i - 2
        return 2

    @staticmethod
    @kernel
    def predecessors(i: int, out: np.ndarray) -> int:
        out[0], out[1] = i + 1, i + 2
        return 2


def test_with_and_without_predecessors() -> None:
    class Forward(Countdown):
        predecessors = None  # type: ignore[assignment]

    for game in (Countdown(), Forward()):
        solved = solve_indexed(game)
        for i in range(50):
            assert (solved.value(i).outcome is Outcome.LOSS) == (i % 3 == 0)
        assert solved.positions == 50
        assert solved.value(4) == Value(Outcome.WIN, 3)
        assert solved.moves(4)[0] == (3, Value(Outcome.WIN, 3))
        with pytest.raises(InputError, match="number 55: stands for no position"):
            solved.value(55)
        assert check_indexed(game, solved.outcome, solved.plies) == 60
        for i in range(60):
            for outcome, plies in ((-solved.outcome[i] or 1, 0), (solved.outcome[i], 1)):
                wrong, distance = solved.outcome.copy(), solved.plies.copy()
                wrong[i], distance[i] = outcome, distance[i] + plies
                with pytest.raises(TableError, match="certificate is wrong"):
                    check_indexed(game, wrong, distance)


def test_reached_positions_only() -> None:
    game = Countdown()
    game.start = 20
    solved = solve_indexed(game, everywhere=False)
    assert solved.positions == 21
    assert (solved.outcome[21:] == ABSENT).all()


def test_what_is_no_indexed_game_is_refused() -> None:
    with pytest.raises(InputError, match="no size; an indexed game needs it"):
        solve_indexed(object())


def test_numbers_of_teeko() -> None:
    rng = np.random.default_rng(44)
    forward, back = np.empty(40, np.int64), np.empty(40, np.int64)
    for number in [*range(700), *rng.integers(0, Teeko.size, 2000).tolist()]:
        stones = teeko._stones(number)
        mine, theirs = teeko._sets(number, stones)
        assert not mine & theirs
        assert (mine.bit_count(), theirs.bit_count()) == (stones // 2, stones - stones // 2)
        assert teeko._number(mine, theirs, stones) == number
        targets = forward[: teeko.successors(number, forward)].tolist()
        assert len(set(targets)) == len(targets)
        for target in targets:
            assert number in back[: teeko.predecessors(target, back)]
    assert [len(teeko.goals(advanced)) for advanced in (False, True)] == [44, 58]


def test_teeko() -> None:
    game = Teeko()
    solved = solve_indexed(game)
    moving = [
        solved.count(outcome, game.drops) for outcome in (Outcome.WIN, Outcome.LOSS, Outcome.DRAW)
    ]
    assert moving == [25_606_338, 7_493_341, 42_347_231]
    assert solved.longest(game.drops) == 39
    assert solved.value() == DRAW
    rng = np.random.default_rng(44)
    for number in rng.integers(0, game.size, 2000).tolist():
        if game.outcome(number) == OPEN:
            assert solved.value(number) == solved.moves(number)[0][1]
