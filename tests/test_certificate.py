"""Certificates of long mates: right ones pass, spoilt ones do not."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from zermelo.errors import InputError, TableError
from zermelo.problems.advice import certify
from zermelo.problems.certificate import Certificate, Step, faults, read, verify, write
from zermelo.problems.engine import Engine

# Mates in 6 to 14 of the matetrack collection (vondele/matetrack).
LONG = [
    ("8/2p5/p7/2p5/kNK5/p7/P7/8 w - - 0 1", 6),
    ("rb6/4Q3/p1Pp4/3k1p2/K1R1pppp/1P6/3PPPPP/4nn1q w - - 0 1", 10),
]


@pytest.fixture(scope="module")
def certificates() -> list[Certificate]:
    engine = Engine(hash_mb=64)
    made = [certify(chess.Board(fen), n, engine) for fen, n in LONG]
    return [certificate for certificate in made if certificate]


def test_certificates_prove(certificates: list[Certificate]) -> None:
    assert [certificate.mate_in for certificate in certificates] == [n for _, n in LONG]
    for certificate in certificates:
        assert faults(certificate) == []
        positions = [step.position for step in certificate.steps]
        assert len(set(positions)) == len(positions)


def spoil(certificate: Certificate, rng: random.Random) -> Certificate:
    """A certificate with one defence removed or one leaf changed to a move that does not mate."""
    steps = list(certificate.steps)
    inner = [number for number, step in enumerate(steps) if step.replies]
    leaves = [number for number, step in enumerate(steps) if not step.replies]
    if rng.random() < 0.5:
        number = rng.choice(inner)
        replies = dict(steps[number].replies)
        del replies[rng.choice(list(replies))]
        steps[number] = replace(steps[number], replies=replies)
    else:
        number = rng.choice(leaves)
        board = chess.Board(steps[number].position)
        others = []
        for move in board.legal_moves:
            board.push(move)
            if not board.is_checkmate():
                others.append(move.uci())
            board.pop()
        steps[number] = replace(steps[number], move=rng.choice(others))
    return replace(certificate, steps=tuple(steps))


def test_a_thousand_spoilt_certificates_are_rejected(certificates: list[Certificate]) -> None:
    rng = random.Random(1913)
    for number in range(1000):
        assert faults(spoil(certificates[number % len(certificates)], rng))


def test_other_faults_are_found(certificates: list[Certificate]) -> None:
    good = certificates[0]
    first = good.steps[0]

    def with_first(step: Step) -> Certificate:
        return replace(good, steps=(step, *good.steps[1:]))

    reply, child = next(iter(first.replies.items()))
    wrong = [
        replace(good, fen="8/8/8/8/8/8/k1K5/8 w - - 0 1"),
        replace(good, fen="nonsense"),
        replace(good, steps=()),
        replace(good, steps=(*good.steps, good.steps[-1])),
        with_first(replace(first, mate_in=5)),
        with_first(replace(first, move="a1a8")),
        with_first(replace(first, move="nonsense")),
        with_first(replace(first, replies={**first.replies, reply: len(good.steps)})),
        with_first(replace(first, replies={**first.replies, reply: 0})),
        with_first(replace(first, replies={**first.replies, "a1a1": child})),
    ]
    for certificate in wrong:
        assert faults(certificate)


def test_files(certificates: list[Certificate], tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    write(certificates[1], path)
    assert read(path) == verify(path) == certificates[1]
    assert list(tmp_path.iterdir()) == [path]
    document = json.loads(path.read_text())
    write(spoil(certificates[1], random.Random(2)), tmp_path / "spoilt.json")
    with pytest.raises(TableError, match="proves nothing"):
        verify(tmp_path / "spoilt.json")
    spoilt = [
        ("not JSON", "not JSON"),
        (json.dumps([1]), "not a certificate"),
        (json.dumps({**document, "format": "x"}), "format"),
        (json.dumps({**document, "mate_in": 9}), "claims mate in 9"),
        (json.dumps({**document, "positions": []}), "not a certificate"),
        (json.dumps({**document, "positions": [["8/8", "1", 2, {}]]}), "not a certificate"),
    ]
    for content, message in spoilt:
        path.write_text(content)
        with pytest.raises(TableError, match=message):
            read(path)
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "missing")
    with pytest.raises(TableError, match="cannot be written"):
        write(certificates[0], tmp_path / "no" / "folder")


def test_no_certificate_without_a_mate() -> None:
    engine = Engine(hash_mb=1)
    assert certify(chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"), 1, engine) is None
