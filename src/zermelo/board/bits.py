"""Sets of squares as 64-bit words (a1 is bit 0, b1 bit 1, h8 bit 63) and the eight symmetries.

Everything here works inside kernels and in plain Python alike. Squares, words and indices are
``np.uint64``, for Numba leaves the integers where unsigned and signed numbers meet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from zermelo.jit import kernel

Word: TypeAlias = np.uint64
Words: TypeAlias = npt.NDArray[np.uint64]

ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
SEVEN = np.uint64(7)
EIGHT = np.uint64(8)
NINE = np.uint64(9)
SIXTEEN = np.uint64(16)
SIXTY_THREE = np.uint64(63)

FULL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
FILE_A = np.uint64(0x0101_0101_0101_0101)
FILE_H = np.uint64(0x8080_8080_8080_8080)
RANK_1 = np.uint64(0xFF)
RANK_8 = np.uint64(0xFF00_0000_0000_0000)


def popcount(word: Word) -> Word:
    """Number of squares in a set."""
    return np.uint64(int(word).bit_count())


def lsb(word: Word) -> Word:
    """Lowest square of a set; 64 for the empty set."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)


def leading(word: Word) -> Word:
    """Number of squares above the highest one of a set: 64 for the empty set, 0 if it has h8."""
    return np.uint64(64 - int(word).bit_length())


def _instruction(function: Callable[[Word], Word], emit: Callable[[Any, Any], Any]) -> None:
    """Compiles a function of a word into one machine instruction wherever a kernel calls it."""

    def typed(context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return types.uint64(types.uint64), generate

    instruction = intrinsic(typed)
    overload(function)(lambda word: lambda word: instruction(word))


_DEFINED_AT_ZERO = ir.Constant(ir.IntType(1), 0)

_instruction(popcount, lambda builder, word: builder.ctpop(word))
_instruction(lsb, lambda builder, word: builder.cttz(word, _DEFINED_AT_ZERO))
_instruction(leading, lambda builder, word: builder.ctlz(word, _DEFINED_AT_ZERO))


@kernel
def bit(square: Word) -> Word:
    """The set of one square."""
    return ONE << square


@kernel
def msb(word: Word) -> Word:
    """Highest square of a set that is not empty."""
    return SIXTY_THREE - leading(word)


# The symmetries of the board are numbered 0 to 7. Bit 0 of the number mirrors left and right
# (a <-> h), then bit 1 mirrors top and bottom (rank 1 <-> 8), then bit 2 reflects in the long
# diagonal a1-h8 (file <-> rank). 0 is the identity, 3 the half-turn; 5 and 6 are the quarter-turns.

LEFT_RIGHT = np.uint64(1)
TOP_BOTTOM = np.uint64(2)
DIAGONAL = np.uint64(4)


@kernel
def inverse(symmetry: Word) -> Word:
    """The symmetry that undoes one: only the quarter-turns, 5 and 6, are not their own inverse."""
    if symmetry == np.uint64(5):
        return np.uint64(6)
    if symmetry == np.uint64(6):
        return np.uint64(5)
    return symmetry


@kernel
def compose(first: Word, second: Word) -> Word:
    """The symmetry that does ``first`` and then ``second``."""
    if first & DIAGONAL:
        # Mirrors change places as they pass the diagonal.
        mirrors = (second & LEFT_RIGHT) << ONE | (second & TOP_BOTTOM) >> ONE
        return first ^ mirrors ^ (second & DIAGONAL)
    return first ^ second


@kernel
def map_square(symmetry: Word, square: Word) -> Word:
    """Where a symmetry takes a square."""
    if symmetry & LEFT_RIGHT:
        square = square ^ SEVEN
    if symmetry & TOP_BOTTOM:
        square = square ^ np.uint64(56)
    if symmetry & DIAGONAL:
        square = square >> THREE | (square & SEVEN) << THREE
    return square


@kernel
def _swap(word: Word, mask: Word, distance: Word) -> Word:
    """Exchanges the squares of ``mask`` with those ``distance`` above them."""
    changed = (word >> distance ^ word) & mask
    return word ^ changed ^ changed << distance


@kernel
def mirror_left_right(word: Word) -> Word:
    """A set as a mirror along the line between the d- and e-files shows it."""
    word = _swap(word, np.uint64(0x5555_5555_5555_5555), ONE)
    word = _swap(word, np.uint64(0x3333_3333_3333_3333), TWO)
    return _swap(word, np.uint64(0x0F0F_0F0F_0F0F_0F0F), FOUR)


@kernel
def mirror_top_bottom(word: Word) -> Word:
    """A set as the other player sees it: rank 1 becomes rank 8."""
    word = _swap(word, np.uint64(0x00FF_00FF_00FF_00FF), EIGHT)
    word = _swap(word, np.uint64(0x0000_FFFF_0000_FFFF), SIXTEEN)
    return word >> np.uint64(32) | word << np.uint64(32)


@kernel
def transpose(word: Word) -> Word:
    """A set reflected in the long diagonal a1-h8: files become ranks."""
    word = _swap(word, np.uint64(0x00AA_00AA_00AA_00AA), SEVEN)
    word = _swap(word, np.uint64(0x0000_CCCC_0000_CCCC), np.uint64(14))
    return _swap(word, np.uint64(0x0000_0000_F0F0_F0F0), np.uint64(28))


@kernel
def map_word(symmetry: Word, word: Word) -> Word:
    """Where a symmetry takes a set: square ``s`` is in it if ``map_square(symmetry, s)`` is."""
    if symmetry & LEFT_RIGHT:
        word = mirror_left_right(word)
    if symmetry & TOP_BOTTOM:
        word = mirror_top_bottom(word)
    if symmetry & DIAGONAL:
        word = transpose(word)
    return word
