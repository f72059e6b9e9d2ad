"""Reads the solution texts of the reference solver into the shape of ``mate_oracle``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import chess

_LINE = re.compile(
    r"^\s*(\d+)(\.{3}|\.)([\w\-*=]+?)( ep\.)?( \+)?( #)?\s*([!?])?\s*"
    r"(threat:|Drohung:|zugzwang\.|Zugzwang\.)?$"
)
_MOVE = re.compile(r"([KQRBSDTL]?)([a-h][1-8])[-*]([a-h][1-8])(?:=([QRBSDTL]))?")
_KIND = {"Q": "q", "D": "q", "R": "r", "T": "r", "B": "b", "L": "b", "S": "n"}


@dataclass
class Reference:
    """Set play, first moves by mark (``!`` keys, ``?`` tries) and their play."""

    set_play: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, Any] = field(default_factory=dict)
    tries: dict[str, Any] = field(default_factory=dict)


def uci(text: str, white: bool) -> str:
    """A move in the reference's notation as UCI."""
    if text.startswith("0-0"):
        rank = "1" if white else "8"
        return f"e{rank}{'c' if text == '0-0-0' else 'g'}{rank}"
    parts = _MOVE.fullmatch(text)
    assert parts, text
    return parts[2] + parts[3] + (_KIND[parts[4]] if parts[4] else "")


class _Reader:
    def __init__(self, text: str, attacker: bool) -> None:
        self.attacker = attacker
        self.lines: list[tuple[int, bool, str, str, bool, bool, str]] = []
        for line in text.splitlines():
            if line.strip() in ("but", "Aber", "aber", "But"):
                self.lines.append((0, True, "", "but", False, False, ""))
            elif found := _LINE.match(line):
                black = found[2] == "..."
                self.lines.append(
                    (
                        int(found[1]),
                        black,
                        uci(found[3], attacker != black),
                        (found[8] or "").lower(),
                        bool(found[5]),
                        bool(found[6]),
                        found[7] or "",
                    )
                )
        self.at = 0

    def here(self, number: int, black: bool) -> bool:
        return self.at < len(self.lines) and self.lines[self.at][:2] == (number, black)

    def attack(self, number: int) -> tuple[str, Any, str]:
        _, _, move, note, check, mate, mark = self.lines[self.at]
        self.at += 1
        threats: dict[str, Any] = {}
        effect = "mate" if mate else "check" if check else "zugzwang"
        if note in ("threat:", "drohung:"):
            effect = "threat"
            while self.here(number + 1, False):
                threat, play, _ = self.attack(number + 1)
                threats[threat] = play
        variations = self.variations(number)
        refutations = []
        if number == 1 and self.here(0, True):
            self.at += 1
            while self.here(number, True):
                refutations.append(self.lines[self.at][2])
                self.at += 1
        return move, (effect, threats, variations, refutations), mark

    def variations(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.here(number, True):
            defence = self.lines[self.at][2]
            self.at += 1
            found[defence] = {}
            while self.here(number + 1, False):
                answer, play, _ = self.attack(number + 1)
                found[defence][answer] = play
        return found


def read(text: str, fen: str) -> Reference:
    """The reference's solution of a diagram."""
    reader, found = _Reader(text, chess.Board(fen).turn), Reference()
    found.set_play = reader.variations(1)
    while reader.at < len(reader.lines):
        assert reader.here(1, False), reader.lines[reader.at]
        move, play, mark = reader.attack(1)
        (found.tries if mark == "?" else found.keys)[move] = play
    return found
