"""Judges positions of a half by their moves: the level that each should have.

The counterpart of the generator for checking and counting: `survey` gives the moves, every target
is looked up, and the best is returned in the level that the position itself should have.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, bit, lsb
from zermelo.jit import Int, kernel
from zermelo.tables.geometry import KING
from zermelo.tables.layout import unplace
from zermelo.tables.reach import HERE, NOTHING, Levels, Men, Reach, Scratch
from zermelo.tables.survey import (
    ATTACKER,
    CHECK,
    DEFENDER,
    IMPOSSIBLE,
    PAWN,
    QUIET,
    attacks,
    in_check,
    pawn_goals,
    survey,
)

_LAST_RANKS = np.uint64(0xFF00_0000_0000_00FF)


@kernel
def _place_in(reach: Reach, child: Int, men: Men) -> tuple[Int, Int]:
    """(where in ``pool`` the row of men in a child's order begins, the symmetry of its lanes).

    For the half's own positions, the child HERE, the row begins there in ``own``.
    """
    pieces, pawns, first, start = reach.shapes[child]
    if pawns:
        code = np.int64(0)
        for i in range(1 + pieces, 1 + pieces + pawns):
            code = code * 48 + np.int64(men[i]) - 8
        found = np.int64(reach.slice_of[first + code])
        symmetry, word = found & 1, (found >> 1) << 6
        word += np.int64(reach.kings[1, reach.maps[symmetry, men[0]]])
    else:
        symmetry = np.int64(reach.folds[0, men[0]])
        word = np.int64(reach.kings[0, reach.maps[symmetry, men[0]]])
    for i in range(1, 1 + pieces):
        word = word << 6 | np.int64(reach.maps[symmetry, men[i]])
    return start + (word << 6), symmetry


@kernel
def _rest(men: Men, gone: Int, promoting: Int, slot: Int, square: Int, out: Men) -> None:
    """The men but one that is gone and one that promotes, which stands at ``slot`` of the rest."""
    count = 0
    for i in range(len(men)):
        if promoting >= 0 and count == slot:
            out[count] = square
            count += 1
        if i != gone and i != promoting:
            out[count] = men[i]
            count += 1


@kernel
def _exchange(reach: Reach, work: Scratch, man: Int, goal: Int, promotion: Int) -> tuple[Int, Int]:
    """Where a capture, a promotion, or both lead, as `_place_in`; NOTHING if no child is needed.

    ``promotion`` is 4 for none. The defending king is not taken for a man on its square.
    """
    men, last = work.men, len(work.men) - 1
    gone, kind = -1, np.int64(6)
    for i in range(last + 1):
        if i != man and i != last and men[i] == goal:
            gone, kind = i, np.int64(reach.cast.kinds[i])
    promoting = man if promotion < KING else -1
    start = men[man]
    men[man] = goal
    _rest(men, gone, promoting, reach.slots[promotion, kind], goal, work.there)
    men[man] = start
    child = reach.links[promotion, kind]
    if child == NOTHING:
        return np.int64(NOTHING), np.int64(0)
    return _place_in(reach, child, work.there)


@kernel
def _passing(reach: Reach, work: Scratch, man: Int, level: Int) -> Int:
    """The level after a double push to which the answer en passant is legal perhaps.

    ``work.after`` holds the men after the push, ``level`` is the value without that answer.
    """
    after, side, none = work.after, reach.side, reach.none
    goal = np.int64(after[man])
    crossed = goal - 8 if side == ATTACKER else goal + 8
    answer = np.int64(NOTHING)
    for i in range(len(after)):
        beside = np.int64(after[i])
        if reach.cast.kinds[i] != PAWN or reach.cast.sides[i] == side:
            continue
        if beside >> 3 != goal >> 3 or abs(beside - goal) != 1:
            continue
        after[i] = crossed
        if not in_check(reach.cast, after, 1 - side, man):
            _rest(after, man, -1, 0, 0, work.there)
            taken = np.int64(none)
            if reach.passant != NOTHING:
                start, symmetry = _place_in(reach, reach.passant, work.there)
                lane = reach.maps[symmetry, after[len(after) - 1]]
                taken = np.int64(reach.pool[start + np.int64(lane)])
            if side == ATTACKER:
                answer = np.int64(max(answer, taken))
            elif taken < none - 1:
                answer = np.int64(taken + 1 if answer < 0 else min(answer, taken + 1))
        after[i] = beside
    if answer < 0:
        return level
    if side == DEFENDER:
        return min(level, answer)
    if level == none - 1:
        return answer  # Stalemate but for en passant.
    return max(level, answer)


@kernel
def _double(reach: Reach, work: Scratch, man: Int, goal: Int) -> Int:
    """The level after a double push that may be answered en passant."""
    men, after = work.men, work.after
    for i in range(len(men)):
        after[i] = men[i]
    after[man] = goal
    start, symmetry = _place_in(reach, HERE, after)
    level = np.int64(reach.own[start >> 6, reach.maps[symmetry, after[len(men) - 1]]])
    return _passing(reach, work, man, level)


@kernel
def _answered(reach: Reach, men: Men, start: Int) -> Word:
    """The goal of a pawn's double push from its first rank, if an enemy pawn stands beside it."""
    goal = np.int64(start) + (16 if reach.side == ATTACKER else -16)
    found = ZERO
    for i in range(len(men)):
        beside = np.int64(men[i])
        enemy = reach.cast.kinds[i] == PAWN and reach.cast.sides[i] != reach.side
        if enemy and beside >> 3 == goal >> 3 and abs(beside - goal) == 1:
            found = bit(np.uint64(goal))
    return found


@kernel
def _open_goals(kind: Int, side: Int, start: Int) -> Word:
    """Where a man goes on an otherwise empty board, a pawn also where it captures."""
    seen = attacks(kind, side, start, ZERO)
    if kind != PAWN:
        return seen
    square = bit(np.uint64(start))
    return seen | pawn_goals(side, square, square, ZERO, ZERO)


@kernel
def _note(reach: Reach, work: Scratch, word: Int, occupied: Word) -> None:
    """Notes where the moves of each man lead from the word of ``work.men``, and which are odd."""
    men, after, cast = work.men, work.after, reach.cast
    for man in range(len(men)):
        if cast.sides[man] != reach.side:
            continue
        goals = _open_goals(cast.kinds[man], reach.side, men[man])
        if man == len(men) - 1:
            goals = occupied  # Elsewhere the defending king stays in its word.
        work.odd[man] = ZERO
        pawn = cast.kinds[man] == PAWN
        piece = 0 < man < len(men) - 1 and not pawn
        for i in range(len(men)):
            after[i] = men[i]
        if pawn:
            work.odd[man] = _LAST_RANKS | _answered(reach, men, men[man])
            goals &= ~_LAST_RANKS
        while goals:
            goal = lsb(goals)
            goals &= goals - ONE
            if bit(goal) & occupied:
                start, symmetry = _exchange(reach, work, man, np.int64(goal), KING)
            elif piece:
                steps = np.int64(goal) - np.int64(men[man])
                start = np.int64(word) + steps * np.int64(reach.lay.strides[man - 1])
                symmetry = np.int64(0)
            else:
                after[man] = goal
                row, symmetry = _place_in(reach, HERE, after)
                start = row >> 6
            work.starts[man, goal] = start
            work.symmetries[man, goal] = symmetry


@kernel
def _odd_level(reach: Reach, work: Scratch, man: Int, goal: Int) -> Int:
    """The best level to which a pawn's move leads that promotes or can be answered en passant."""
    if 8 <= goal < 56:
        return _double(reach, work, man, goal)
    attacking = reach.side == ATTACKER
    result = np.int64(reach.none if attacking else -1)
    for promotion in range(KING):
        start, symmetry = _exchange(reach, work, man, goal, promotion)
        level = np.int64(reach.none)
        if start != NOTHING:
            lane = reach.maps[symmetry, work.men[len(work.men) - 1]]
            level = np.int64(reach.pool[start + np.int64(lane)])
        result = np.int64(min(result, level) if attacking else max(result, level))
    return result


@kernel
def _conclude(result: Int, attacking: bool, state: Int, none: Int) -> Int:
    """The level of a position whose best move leads to ``result``."""
    if attacking:
        return result + 1 if result < none - 1 else none
    if result < 0:
        return 0 if state == CHECK else none - 1
    return result


@kernel
def row_levels(reach: Reach, work: Scratch, word: Int, lanes: Word, levels: Levels) -> None:
    """Writes the levels that positions of a word should have, judged by their moves.

    ``levels``, int64[64], gets -1 where the position is impossible; other lanes than ``lanes`` are
    left alone.
    """
    none, attacking = reach.none, reach.side == ATTACKER
    men, own, maps = work.men, reach.own, reach.maps
    last = len(men) - 1
    unplace(reach.lay, word, men)
    occupied = ZERO
    for man in range(last):
        occupied |= bit(np.uint64(men[man]))
    _note(reach, work, word, occupied)
    while lanes:
        lane = lsb(lanes)
        lanes &= lanes - ONE
        men[last] = lane
        state = survey(reach.cast, men, reach.side, work.goals)
        if state == IMPOSSIBLE:
            levels[lane] = -1
            continue
        result = np.int64(none if attacking else -1)
        for man in range(last + 1):
            goals = work.goals[man]
            while goals and (attacking or result < none):
                goal = lsb(goals)
                goals &= goals - ONE
                start = work.starts[man, goal]
                there = np.int64(goal) if man == last else np.int64(lane)
                if bit(goal) & work.odd[man]:
                    level = np.int64(_odd_level(reach, work, man, np.int64(goal)))
                elif bit(goal) & occupied:
                    there = np.int64(maps[work.symmetries[man, goal], there])
                    level = np.int64(reach.pool[start + there] if start >= 0 else none)
                elif man == last:
                    level = np.int64(own[word, goal])
                else:
                    level = np.int64(own[start, maps[work.symmetries[man, goal], lane]])
                result = np.int64(min(result, level) if attacking else max(result, level))
        levels[lane] = _conclude(result, attacking, state, none)


@kernel
def level_after(reach: Reach, work: Scratch, man: Int, goal: Int, promotion: Int) -> Int:
    """The level to which one legal move from ``work.men`` leads; ``promotion`` is 4 for none."""
    men, after = work.men, work.after
    last = len(men) - 1
    taken = False
    for i in range(last + 1):
        taken |= i != man and men[i] == goal
        after[i] = men[i]
    home = goal if man == last else np.int64(men[last])
    if taken or promotion < KING:
        start, symmetry = _exchange(reach, work, man, goal, promotion)
        if start == NOTHING:
            return reach.none
        return np.int64(reach.pool[start + np.int64(reach.maps[symmetry, home])])
    if bit(np.uint64(goal)) & _answered(reach, men, men[man]) and reach.cast.kinds[man] == PAWN:
        return _double(reach, work, man, goal)
    after[man] = goal
    row, symmetry = _place_in(reach, HERE, after)
    return np.int64(reach.own[row >> 6, reach.maps[symmetry, home]])


@kernel
def count_moves(reach: Reach, work: Scratch) -> tuple[Int, Int]:
    """(legal moves of the side to move at ``work.men``, those after which it wins).

    `survey` wrote the goals; en passant is left out. Of a defender no move wins.
    """
    legal, winning = 0, 0
    for man in range(len(work.men)):
        goals = work.goals[man]
        pawn = reach.cast.kinds[man] == PAWN
        while goals:
            goal = lsb(goals)
            goals &= goals - ONE
            promotes = pawn and bit(goal) & _LAST_RANKS != ZERO
            for promotion in range(0 if promotes else KING, KING if promotes else KING + 1):
                legal += 1
                if reach.side == ATTACKER:
                    level = level_after(reach, work, man, np.int64(goal), promotion)
                    if level < reach.none - 1:
                        winning += 1
    return legal, winning


@kernel
def escapes(reach: Reach, work: Scratch) -> bool:
    """Whether the defender, to move at ``work.men``, is stalemated or has a capture that holds."""
    men, none = work.men, reach.none
    last = len(men) - 1
    state = survey(reach.cast, men, DEFENDER, work.goals)
    occupied, movable = ZERO, ZERO
    for i in range(last + 1):
        occupied |= bit(np.uint64(men[i]))
        movable |= work.goals[i]
    if movable == ZERO:
        return state == QUIET
    for man in range(last + 1):
        takes = work.goals[man] & occupied
        while takes:
            goal = np.int64(lsb(takes))
            takes &= takes - ONE
            promotes = reach.cast.kinds[man] == PAWN and goal < 8
            for promotion in range(0 if promotes else KING, KING if promotes else KING + 1):
                start, symmetry = _exchange(reach, work, man, goal, promotion)
                home = goal if man == last else np.int64(men[last])
                if start < 0 or reach.pool[start + np.int64(reach.maps[symmetry, home])] == none:
                    return True
    return False
