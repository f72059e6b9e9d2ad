"""The proof-number search: is there a mate in n? For long mates, and for "no mate in n".

Depth-first proof-number search (Nagai's df-pn) bounded by the number of moves left, which is part
of a node's key, so that repetition is no trouble. A node's proof number says how many leaves must
at least be shown to be mates to prove it, its disproof number how many must be shown to be none to
disprove it; the search goes on where the fewest are missing. Where a defence against few moves is
left, the exhaustive search decides.

Numbers are kept in ``nodes``, ``uint64[2 * entries]``, four entries a bucket, each a key and
the packed numbers: proof (bits 0-23), disproof (24-47), moves left (48-55). Decided positions go to
``bounds``, a table as in `table`, whose lengths are only upper bounds here; it yields the proof.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, Words
from zermelo.board.moves import generate
from zermelo.board.position import checkers, make, make_pass
from zermelo.jit import borrow, kernel
from zermelo.problems.mates import mate_in_one
from zermelo.problems.search import NODES, NONE, STOP, search
from zermelo.problems.table import facts, key, look_up, mate_of, move_of, none_of, store

TWO = np.uint64(2)
INFINITE = np.uint64((1 << 24) - 1)
LARGEST = np.uint64((1 << 24) - 2)
"""Numbers that are not infinite are capped here."""
LEAF = np.uint64(2)
"""With so many moves left, a defender's node is decided by the exhaustive search."""


@kernel
def pack(proof: Word, disproof: Word, n: Word) -> Word:
    """The numbers of a node in one word."""
    return proof | disproof << np.uint64(24) | n << np.uint64(48)


@kernel
def proof_of(packed: Word) -> Word:
    """The proof number."""
    return packed & INFINITE


@kernel
def disproof_of(packed: Word) -> Word:
    """The disproof number."""
    return packed >> np.uint64(24) & INFINITE


@kernel
def node_key(position: Words, n: Word, defending: bool) -> Word:
    """The key of a node: of its position, the moves left, and whether the side to move defends."""
    # With the side to move attacking it is another question than with that side defending.
    side = ONE if defending else ZERO
    return key(position) ^ (n << ONE | side) * np.uint64(0x9E37_79B9_7F4A_7C15)


@kernel
def recall(nodes: Words, mixed: Word) -> Word:
    """The packed numbers of a node, or 0 if it is not in the table."""
    slot = (mixed << ONE & np.uint64(len(nodes) - 1)) & ~np.uint64(7)
    for index in range(4):
        if nodes[slot + np.uint64(2 * index)] == mixed:
            return nodes[slot + np.uint64(2 * index + 1)]
    return ZERO


@kernel
def remember(nodes: Words, mixed: Word, packed: Word) -> None:
    """Puts a node into its bucket, in place of the one with the fewest moves left."""
    slot = (mixed << ONE & np.uint64(len(nodes) - 1)) & ~np.uint64(7)
    place, least = slot, INFINITE
    for index in range(4):
        other = slot + np.uint64(2 * index)
        if nodes[other] == mixed or nodes[other] == ZERO:
            place = other
            break
        left = nodes[other + ONE] >> np.uint64(48)
        if left < least:
            place, least = other, left
    nodes[place] = mixed
    nodes[place + ONE] = packed


@kernel
def note_bound(bounds: Words, mixed: Word, n: Word, move: Word, proven: bool) -> None:
    """Adds to the bounds of a position that a move mates in n, or that there is no mate in n."""
    known = look_up(bounds, mixed)
    mate, none = mate_of(known), none_of(known)
    if proven:
        if mate == ZERO or n < mate:
            store(bounds, mixed, facts(move, n, none))
    elif n > none:
        store(bounds, mixed, facts(move_of(known), mate, n))


@kernel
def first_attack(positions: Words, moves: Words, bounds: Words, row: Word, n: Word) -> Word:
    """Numbers of a new node with the attacker to move: decided if known or a mate in one."""
    known = look_up(bounds, key(positions[row]))
    if mate_of(known) and mate_of(known) <= n:
        return pack(ZERO, INFINITE, n)
    if none_of(known) >= n:
        return pack(INFINITE, ZERO, n)
    if mate_in_one(positions[row], positions[row + ONE], moves[row]):
        return pack(ZERO, INFINITE, n)
    return pack(ONE, ONE, n)


@kernel
def first_defence(positions: Words, moves: Words, row: Word, n: Word) -> Word:
    """Numbers of a new node with the defender to move: as many proofs as there are replies.

    A quarter of them if mate in one is threatened, for most replies do not defend then.
    """
    replies = generate(positions[row], moves[row])
    check = checkers(positions[row])
    if replies == ZERO:
        return pack(ZERO, INFINITE, n) if check else pack(INFINITE, ZERO, n)
    if not check:
        make_pass(positions[row], positions[row + ONE])
        if mate_in_one(positions[row + ONE], positions[row + TWO], moves[row + ONE]):
            replies = (replies >> TWO) + ONE
    return pack(replies, ONE, n)


@kernel
def prove_node(
    positions: Words,
    moves: Words,
    scores: Words,
    memory: Words,
    table: Words,
    control: Words,
    numbers: Words,
    nodes: Words,
    bounds: Words,
    row: Word,
    n: Word,
    last: Word,
    proof_limit: Word,
    disproof_limit: Word,
) -> Word:
    """Searches a node until its numbers reach a limit, and returns them packed.

    ``n`` moves are left to the attacker; ``last`` is 0 if the attacker is to move, else the
    attacker's last move. ``numbers`` is ``uint64[rows, 2, moves]``: packed numbers and keys of the
    children by row.
    """
    control[NODES] += ONE
    if last and n <= LEAF:
        length = search(positions, moves, scores, memory, table, control, row, n, last)
        return pack(INFINITE, ZERO, n) if length == NONE else pack(ZERO, INFINITE, n)
    count = generate(positions[row], moves[row])
    left, shared = (n, ZERO) if last else (n - ONE, ONE)
    # The keys first, so that the processor fetches all entries at once.
    for index in range(count):
        make(positions[row], moves[row, index], positions[row + ONE])
        numbers[row, 1, index] = node_key(positions[row + ONE], left, last == ZERO)
    for index in range(count):
        numbers[row, 0, index] = recall(nodes, numbers[row, 1, index])
    for index in range(count):
        if numbers[row, 0, index] == ZERO:
            make(positions[row], moves[row, index], positions[row + ONE])
            if last:
                packed = first_attack(positions, moves, bounds, row + ONE, left)
            else:
                packed = first_defence(positions, moves, row + ONE, left)
            numbers[row, 0, index] = packed
    while True:
        # best: the least of the numbers by which one child decides; total: of those for which all
        # are needed. The attacker's moves transpose into each other, so their plain sum counts the
        # same positions over and over: only half counts of what is not in the largest.
        best, second, total, largest, chosen = INFINITE, INFINITE, ZERO, ZERO, ZERO
        for index in range(count):
            packed = numbers[row, 0, index]
            one = disproof_of(packed) if last else proof_of(packed)
            all_ = proof_of(packed) if last else disproof_of(packed)
            if one < best:
                second, best, chosen = best, one, np.uint64(index)
            elif one < second:
                second = one
            total += all_
            largest = max(largest, all_)
        number = largest
        if largest < INFINITE:
            number = min(LARGEST, largest + (total - largest >> shared))
        proof, disproof = (number, best) if last else (best, number)
        if (
            proof == ZERO
            or disproof == ZERO
            or proof >= proof_limit
            or disproof >= disproof_limit
            or control[STOP]
        ):
            if not last and (proof == ZERO or disproof == ZERO):
                note_bound(bounds, key(positions[row]), n, moves[row, chosen], proof == ZERO)
            return pack(proof, disproof, n)
        packed = numbers[row, 0, chosen]
        one_limit = disproof_limit if last else proof_limit
        all_limit = proof_limit if last else disproof_limit
        one_limit = min(one_limit, second + ONE + (second >> np.uint64(2)))
        part = proof_of(packed) if last else disproof_of(packed)
        others = min(all_limit, total - part >> shared)
        all_limit = max(part + ONE, all_limit - others)
        move = moves[row, chosen]
        make(positions[row], move, positions[row + ONE])
        packed = prove_node(
            positions,
            moves,
            scores,
            memory,
            table,
            control,
            numbers,
            nodes,
            bounds,
            row + ONE,
            left,
            ZERO if last else move,
            all_limit if last else one_limit,
            one_limit if last else all_limit,
        )
        if control[STOP]:
            return pack(proof, disproof, n)
        numbers[row, 0, chosen] = packed
        remember(nodes, numbers[row, 1, chosen], packed)
    return ZERO


@kernel
def prove(
    positions: Words,
    moves: Words,
    scores: Words,
    memory: Words,
    table: Words,
    control: Words,
    numbers: Words,
    nodes: Words,
    bounds: Words,
    n: Word,
) -> Word:
    """1 if the attacker, to move in row 0, mates in n; 0 if not, or if the search was stopped."""
    packed = prove_node(
        borrow(positions),
        borrow(moves),
        borrow(scores),
        borrow(memory),
        borrow(table),
        borrow(control),
        borrow(numbers),
        borrow(nodes),
        borrow(bounds),
        ZERO,
        n,
        ZERO,
        INFINITE,
        INFINITE,
    )
    return ONE if proof_of(packed) == ZERO else ZERO


@kernel
def proven_move(bounds: Words, position: Words, n: Word) -> Word:
    """The move for which a mate in at most n is in the bounds, and its length << 18; else 0."""
    known = look_up(bounds, key(position))
    if mate_of(known) == ZERO or mate_of(known) > n:
        return ZERO
    return move_of(known) | mate_of(known) << np.uint64(18)


@kernel
def write_replies(position: Words, move: Word, moves: Words, out: Words) -> Word:
    """Writes the positions after a move and each reply into ``out``, returns their number."""
    count = np.uint64(len(out) - 1)
    after = out[count]
    make(position, move, after)
    count = generate(after, moves)
    for index in range(count):
        make(after, moves[index], out[index])
    return count
