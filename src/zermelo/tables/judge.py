"""Judges positions of a half by their moves: the level that each should have.

The counterpart of the generator for checking and counting: `survey` gives the moves, every target
is looked up, and the best is returned in the level that the position itself should have.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, bit, lsb
from zermelo.jit import Int, inlined, kernel
from zermelo.tables.geometry import KING
from zermelo.tables.reach import HERE, NOTHING, Men, Reach, Scratch
from zermelo.tables.survey import ATTACKER, DEFENDER, PAWN, QUIET, in_check, survey

LAST_RANKS = np.uint64(0xFF00_0000_0000_00FF)


@inlined
def place_in(reach: Reach, child: Int, men: Men) -> tuple[np.int64, np.int64]:
    """(row of ``pool`` of men in a child's order, the symmetry of its lanes).

    For the half's own positions, the child HERE, it is a row of ``own``.
    """
    # Each look into a tuple counts references.
    maps, kings, shapes = reach.maps, reach.kings, reach.shapes
    pieces, pawns, first = shapes[child, 0], shapes[child, 1], shapes[child, 2]
    start, cut = shapes[child, 3], shapes[child, 4]
    if pawns:
        code = np.int64(0)
        for i in range(1 + pieces, 1 + pieces + pawns):
            code = code * 48 + np.int64(men[i]) - 8
        found = np.int64(reach.slice_of[first + code])
        symmetry, word = found & 1, (found >> 1) << 6
        word += np.int64(kings[1, maps[symmetry, men[0]]])
    else:
        symmetry = np.int64(reach.folds[0, men[0]])
        word = np.int64(kings[0, maps[symmetry, men[0]]])
    for i in range(1, 1 + pieces):
        square = np.int64(maps[symmetry, men[i]])
        word = word << 3 | square & 7 if i == cut else word << 6 | square
    return start + word, symmetry


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
def exchange(reach: Reach, work: Scratch, man: Int, goal: Int, promotion: Int) -> tuple[Int, Int]:
    """Where a capture, a promotion, or both lead, as `place_in`; NOTHING if no child is needed.

    ``promotion`` is 4 for none. The defending king is not taken for a man on its square.
    """
    men, there, kinds = work.men, work.there, reach.cast.kinds
    gone, kind = -1, np.int64(6)
    for i in range(len(men) - 1):
        if i != man and men[i] == goal:
            gone, kind = i, np.int64(kinds[i])
    promoting = man if promotion < KING else -1
    start = men[man]
    men[man] = goal
    _rest(men, gone, promoting, reach.slots[promotion, kind], goal, there)
    men[man] = start
    child = reach.links[promotion, kind]
    if child == NOTHING:
        return np.int64(NOTHING), np.int64(0)
    return place_in(reach, child, there)


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
                row, symmetry = place_in(reach, reach.passant, work.there)
                taken = np.int64(reach.pool[row, reach.maps[symmetry, after[len(after) - 1]]])
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
def double(reach: Reach, work: Scratch, man: Int, goal: Int) -> Int:
    """The level after a double push that may be answered en passant."""
    men, after = work.men, work.after
    for i in range(len(men)):
        after[i] = men[i]
    after[man] = goal
    row, symmetry = place_in(reach, HERE, after)
    level = np.int64(reach.own[row, reach.maps[symmetry, after[len(men) - 1]]])
    return _passing(reach, work, man, level)


@kernel
def answered(reach: Reach, men: Men, start: Int) -> Word:
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
        row, symmetry = exchange(reach, work, man, goal, promotion)
        if row == NOTHING:
            return reach.none
        return np.int64(reach.pool[row, reach.maps[symmetry, home]])
    if bit(np.uint64(goal)) & answered(reach, men, men[man]) and reach.cast.kinds[man] == PAWN:
        return double(reach, work, man, goal)
    after[man] = goal
    row, symmetry = place_in(reach, HERE, after)
    return np.int64(reach.own[row, reach.maps[symmetry, home]])


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
            promotes = pawn and bit(goal) & LAST_RANKS != ZERO
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
                row, symmetry = exchange(reach, work, man, goal, promotion)
                home = goal if man == last else np.int64(men[last])
                if row == NOTHING or reach.pool[row, reach.maps[symmetry, home]] == none:
                    return True
    return False
