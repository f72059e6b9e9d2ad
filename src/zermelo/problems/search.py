"""The exhaustive search: does the side to move force mate in n moves?

Depth first, shorter mates before longer ones. Most of the time goes into showing that a move does
*not* mate, so all depends on finding the defence that refutes it early: the defences that refuted
its siblings come first (by remaining depth: killers, answers to the same move, history), from mate
in three on even before them the defender's checks, those with the fewest evasions leading. The
last attacker's move is `mate_in_one`.

A search keeps its state in four arrays (`Room`): positions, moves and scores by ply, and memory of
earlier refutations; two rows of positions for each move of the attacker.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.attacks import king, pawns
from zermelo.board.bits import EIGHT, ONE, ZERO, Word, Words, bit, lsb
from zermelo.board.moves import generate, passing, pins
from zermelo.board.position import (
    KING,
    OTHER,
    OWN,
    PASSED,
    PAWN,
    WHITE,
    attackers,
    checkers,
    destination,
    make,
    mover,
    origin,
)
from zermelo.jit import borrow, kernel
from zermelo.problems.mates import is_mate, line_through, mate_in_one, reach
from zermelo.problems.table import facts, key, look_up, mate_of, move_of, none_of, store

TWO = np.uint64(2)
THREE = np.uint64(3)

NONE = np.uint64(255)
"""The length of a mate that there is not."""
OPEN = np.uint64(254)
"""The length of a mate that has not been searched to the end."""

# control: uint64[2]
STOP = np.uint64(0)
"""Not 0: give up; what is returned then means nothing."""
NODES = np.uint64(1)
"""Attacker's and defender's moves made so far."""

# memory: uint64[DEPTHS, PER_DEPTH], a row for each number of moves that remain
DEPTHS = 64
KILLERS = np.uint64(0)
"""Two defences that refuted last, then two attacker's moves that mated last."""
MATERS = np.uint64(2)
ANSWERS = np.uint64(4)
"""The last defence that refuted a man's arrival on a square, by kind and square."""
HISTORY = np.uint64(4 + 384)
"""How often a man's arrival on a square has refuted, by kind and square."""
PER_DEPTH = 4 + 2 * 384


@kernel
def arrival(move: Word) -> Word:
    """Index by the kind of man that moves and the square it goes to."""
    return mover(move) << np.uint64(6) | destination(move)


@kernel
def is_legal(position: Words, move: Word, pinned: Word, ending: Word) -> bool:
    """Whether a move that was legal elsewhere is so here; castling is taken for illegal."""
    own, other = position[OWN], position[OTHER]
    start, goal, kind = origin(move), destination(move), mover(move)
    one, target = bit(start), bit(goal)
    if not one & own & position[kind] or target & own:
        return False
    occupied = own | other
    if kind == KING:
        return king(start) & target != ZERO and not attackers(position, goal, occupied ^ one)
    if kind == PAWN:
        white = position[WHITE] != ZERO
        if target & pawns(white, one):
            if target == position[PASSED]:
                return passing(position) & one != ZERO
            if not target & other:
                return False
        else:
            ahead = one << EIGHT if white else one >> EIGHT
            twice = ahead << EIGHT if white else ahead >> EIGHT
            if target & occupied or (target != ahead and (target != twice or ahead & occupied)):
                return False
    elif not reach(kind, start, occupied) & target:
        return False
    if one & pinned and not line_through(lsb(position[KING] & own), start) & target:
        return False
    return target & ending != ZERO


@kernel
def pick(moves: Words, scores: Words, index: Word, count: Word) -> Word:
    """Brings the move with the highest score to ``index`` and returns it."""
    best = index
    for other in range(index + ONE, count):
        if scores[other] > scores[best]:
            best = np.uint64(other)
    moves[index], moves[best] = moves[best], moves[index]
    scores[index], scores[best] = scores[best], scores[index]
    return moves[index]


@kernel
def score_attacks(
    positions: Words, moves: Words, scores: Words, memory: Words, row: Word, count: Word, n: Word
) -> None:
    """Scores the attacker's moves: earlier mates, then those that leave the fewest replies.

    Not so for mates in two: there so few moves succeed that the order is worth no time.
    """
    for index in range(count):
        move = moves[row, index]
        score = ZERO
        if n > TWO:
            make(positions[row], move, positions[row + ONE])
            replies = generate(positions[row + ONE], moves[row + ONE])
            score = np.uint64(256) - replies
        if move == memory[n, MATERS] or move == memory[n, MATERS + ONE]:
            score += np.uint64(1024)
        scores[row, index] = score


@kernel
def score_defences(
    positions: Words, moves: Words, scores: Words, memory: Words, row: Word, count: Word, n: Word
) -> None:
    """Scores the defender's moves against mate in n: checks, then earlier refutations."""
    occupied = positions[row, OTHER]
    for index in range(count):
        move = moves[row, index]
        make(positions[row], move, positions[row + ONE])
        score = memory[n, HISTORY + arrival(move)] << ONE
        if bit(destination(move)) & occupied:
            score += np.uint64(1 << 30)
        if checkers(positions[row + ONE]):
            score += np.uint64(1 << 40)
            if n > ONE:
                evasions = generate(positions[row + ONE], moves[row + ONE])
                score += (np.uint64(256) - evasions) << np.uint64(31)
        scores[row, index] = score


@kernel
def note_refutation(memory: Words, n: Word, attack: Word, defence: Word) -> None:
    """Remembers a defence that refuted a move as mate in n more moves."""
    if memory[n, KILLERS] != defence:
        memory[n, KILLERS + ONE] = memory[n, KILLERS]
        memory[n, KILLERS] = defence
    memory[n, ANSWERS + arrival(attack)] = defence
    memory[n, HISTORY + arrival(defence)] += ONE


@kernel
def refuted_at_once(positions: Words, moves: Words, memory: Words, row: Word, last: Word) -> bool:
    """Whether one of three remembered defences leaves no mate in one after the attacker's move.

    98 in 100 moves that do not mate in two end here, so it is worth a kernel of its own.
    """
    pinned, _, ending = pins(positions[row])
    for place in range(3):
        reply = memory[ONE, ANSWERS + arrival(last) if place == 2 else np.uint64(place)]
        if reply and is_legal(positions[row], reply, pinned, ending):
            make(positions[row], reply, positions[row + ONE])
            if not mate_in_one(positions[row + ONE], positions[row + TWO], moves[row + ONE]):
                note_refutation(memory, ONE, last, reply)
                return True
    return False


@kernel
def note_mate(memory: Words, n: Word, move: Word) -> None:
    """Remembers a move that forced mate in n."""
    if memory[n, MATERS] != move:
        memory[n, MATERS + ONE] = memory[n, MATERS]
        memory[n, MATERS] = move


@kernel
def search(
    positions: Words,
    moves: Words,
    scores: Words,
    memory: Words,
    table: Words,
    control: Words,
    row: Word,
    most: Word,
    last: Word,
) -> Word:
    """In how many moves up to ``most`` the attacker mates from the position in a row, or `NONE`.

    ``last`` is 0 if the attacker is to move, else the attacker's move that led here. A defender
    who is mated is so in 0 moves; ``most`` is then at least 1. Calls itself for either side.
    """
    if last:
        # The defender: the longest of all replies, or none if one of them escapes.
        control[NODES] += ONE
        pinned, checking, ending = pins(positions[row])
        # What has refuted other moves comes before all replies, but not before checks against
        # longer mates; so only a king in check has none of these to give.
        place = THREE if checking else ZERO
        count, longest = ZERO, ZERO
        while True:
            if place < THREE:
                reply = memory[most, ANSWERS + arrival(last) if place == TWO else place]
                place += ONE
                if reply == ZERO or not is_legal(positions[row], reply, pinned, ending):
                    continue
            else:
                if place == THREE:
                    count = generate(positions[row], moves[row])
                    if count == ZERO:
                        return ZERO if checking else NONE
                    score_defences(positions, moves, scores, memory, row, count, most)
                if place - THREE == count:
                    return longest
                reply = pick(moves[row], scores[row], place - THREE, count)
                place += ONE
            make(positions[row], reply, positions[row + ONE])
            if most > ONE:
                length = search(
                    positions, moves, scores, memory, table, control, row + ONE, most, ZERO
                )
            elif mate_in_one(positions[row + ONE], positions[row + TWO], moves[row + ONE]):
                length = ONE
            else:
                length = NONE
            if length == NONE:
                note_refutation(memory, most, last, reply)
                return NONE
            longest = max(longest, length)

    known = ZERO
    mixed = ZERO
    if most > ONE:
        mixed = key(positions[row])
        known = look_up(table, mixed)
        if mate_of(known) and mate_of(known) <= most:
            return mate_of(known)
        if none_of(known) >= most:
            return NONE
    if none_of(known) == ZERO:
        move = mate_in_one(positions[row], positions[row + ONE], moves[row])
        if move or most == ONE:
            return ONE if move else NONE
    for n in range(max(TWO, none_of(known) + ONE), most + ONE):
        count = generate(positions[row], moves[row])
        score_attacks(positions, moves, scores, memory, row, count, np.uint64(n))
        ordered = False
        for index in range(count):
            if not ordered:
                pick(moves[row], scores[row], np.uint64(index), count)
                ordered = scores[row, index] == ZERO
            move = moves[row, index]
            make(positions[row], move, positions[row + ONE])
            if n == TWO and refuted_at_once(positions, moves, memory, row + ONE, move):
                control[NODES] += ONE
                continue
            length = search(
                positions, moves, scores, memory, table, control, row + ONE, n - ONE, move
            )
            if control[STOP]:
                return NONE
            if length != NONE:
                note_mate(memory, np.uint64(n), move)
                store(table, mixed, facts(move, np.uint64(n), n - ONE))
                return np.uint64(n)
        store(table, mixed, facts(move_of(known), mate_of(known), np.uint64(n)))
    return NONE


@kernel
def judge(
    positions: Words,
    moves: Words,
    scores: Words,
    memory: Words,
    table: Words,
    control: Words,
    begin: Word,
    end: Word,
    most: Word,
    attacking: bool,
    enough: Word,
    lengths: Words,
) -> None:
    """Tries moves ``begin`` to ``end`` of row 0 and writes the length of the mate after each.

    Counted in moves of the attacker after the move; `NONE` if there is no mate in ``most``, and
    `OPEN` (as before) if the search was stopped or has found ``enough`` that are none.
    """
    positions, moves, scores = borrow(positions), borrow(moves), borrow(scores)
    memory, table, control = borrow(memory), borrow(table), borrow(control)
    for index in range(begin, end):
        make(positions[0], moves[0, index], positions[1])
        if most == ZERO:
            length = ZERO if is_mate(positions[1]) else NONE
        else:
            last = moves[0, index] if attacking else ZERO
            length = search(positions, moves, scores, memory, table, control, ONE, most, last)
        if control[STOP]:
            return
        lengths[index] = length
        if length == NONE:
            enough -= ONE
            if enough == ZERO:
                return


@kernel
def shortest(
    positions: Words,
    moves: Words,
    scores: Words,
    memory: Words,
    table: Words,
    control: Words,
    most: Word,
) -> Word:
    """Length of the shortest mate up to ``most`` for the attacker, to move in row 0, or `NONE`."""
    positions, moves, scores = borrow(positions), borrow(moves), borrow(scores)
    memory, table, control = borrow(memory), borrow(table), borrow(control)
    return search(positions, moves, scores, memory, table, control, ZERO, most, ZERO)


@kernel
def found_move(positions: Words, moves: Words, table: Words, length: Word) -> Word:
    """The move that mates from row 0 in ``length``, as `shortest` has just found, or 0.

    0 if another thread has pushed it out of the table.
    """
    if length == ONE:
        return mate_in_one(positions[0], positions[1], moves[0])
    known = look_up(table, key(positions[0]))
    return move_of(known) if mate_of(known) == length else ZERO
