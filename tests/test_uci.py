"""The UCI engine: by an independent client, by storms of commands, and by what it must never do."""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from zermelo.play.limits import Limits, parse_go
from zermelo.play.thinker import Settings
from zermelo.play.uci import Uci
from zermelo.tables.tablebase import Tablebase
from zermelo.values import DRAW, Outcome, Value

GAMES = int(os.environ.get("ZERMELO_GAMES", "40"))
"""Games against the independent client, and positions of which every defence is followed."""
MATERIALS = ("KQvK", "KRvK", "KPvK", "KBNvK", "KBBvK", "KQvKR", "KRvKN", "KRvKB", "KQvKP", "KPvKP")
PERFECT = ("perfect", "itself")
LONGEST = ("8/8/8/8/8/2k5/8/KNB5 b - - 0 1", "8/8/8/8/8/8/2Rk4/1K6 b - - 0 1")
PATIENT = "go movetime 300000"
"""Ends when a table answers, however long kernels take to compile."""
SEARCHED = "2BQ1RbB/2p2N2/pkN1p3/2p1b3/P3R1PP/5pr1/q1p3r1/n1K2n2 w - - 0 1"


@pytest.fixture(scope="module")
def engine(tables: Path) -> Iterator[chess.engine.SimpleEngine]:
    command = [sys.executable, "-m", "zermelo", "uci", "--dir", str(tables)]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=300) as started:
        yield started


def random_board(material: str, rng: random.Random) -> chess.Board:
    """A legal position of a material, every placement and side to move alike."""
    while True:
        board = chess.Board(None)
        colour = chess.BLACK
        squares = rng.sample(chess.SQUARES, len(material) - 1)
        for letter in material.replace("v", ""):
            colour ^= letter == "K"
            board.set_piece_at(
                squares.pop(), chess.Piece(chess.Piece.from_symbol(letter).piece_type, colour)
            )
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            return board


def starts(tablebase: Tablebase, number: int) -> list[tuple[chess.Board, Value]]:
    """Positions of ten materials over all distances: the longest, then one a distance."""
    rng = random.Random(6)
    found = [(board, tablebase.value(board)) for board in map(chess.Board, LONGEST)]
    while len(found) < number:
        material = MATERIALS[len(found) % len(MATERIALS)]
        tried = [random_board(material, rng) for _ in range(12)]
        values = {(v := tablebase.value(board)).plies: (board, v) for board in tried}
        found.append(rng.choice(list(values.values())))
    return found


def opponent(name: str, board: chess.Board, tablebase: Tablebase, rng: random.Random) -> chess.Move:
    moves = list(board.legal_moves)
    captures = [move for move in moves if board.is_capture(move)]
    if name == "greedy" and captures:
        return captures[0]
    if name == "perfect":
        return tablebase.moves(board)[0].move
    return rng.choice(moves)


def test_games_against_every_kind_of_opponent(
    engine: chess.engine.SimpleEngine, tablebase: Tablebase
) -> None:
    rng = random.Random(7)
    kinds = ("perfect", "random", "greedy", "itself")
    for number, (start, value) in enumerate(starts(tablebase, GAMES)):
        kind = kinds[(number + number // len(MATERIALS)) % len(kinds)]
        board, hero, plies = start.copy(), start.turn, 0
        while not board.is_game_over(claim_draw=value == DRAW):
            if board.turn == hero or kind == "itself":
                played = engine.play(board, chess.engine.Limit(time=60), info=chess.engine.INFO_ALL)
                assert played.move is not None
                before = tablebase.value(board)
                agrees(played.info, before, board)
                best = played.move
                worth = next(m.value for m in tablebase.moves(board) if m.move == best)
                assert worth == before, board.fen()
            else:
                best = opponent(kind, board, tablebase, rng)
            board.push(best)
            plies += 1
        if value.outcome is Outcome.WIN:
            assert board.is_checkmate()
            assert board.turn != hero
            assert value.plies is not None
            assert plies == value.plies if kind in PERFECT else plies <= value.plies, start.fen()
        elif value == DRAW:
            assert not board.is_checkmate() or board.turn != hero
        elif kind in PERFECT:
            assert plies == value.plies


def agrees(info: chess.engine.InfoDict, value: Value, board: chess.Board) -> None:
    """The score is the truth, and the line ends in mate after just as many plies."""
    score = info["score"].relative
    if value == DRAW:
        assert score == chess.engine.Cp(0)
        return
    assert value.moves is not None
    assert score.mate() == int(value.outcome) * value.moves
    end = board.copy()
    for move in info["pv"]:
        assert move in end.legal_moves
        end.push(move)
    assert end.is_checkmate()
    assert len(info["pv"]) == value.plies


def defences(
    engine: chess.engine.SimpleEngine, board: chess.Board, left: int, seen: dict[str, int]
) -> None:
    """Every defence down to mate, never in more than the stated plies."""
    if left <= seen.get(board.epd(), 0):
        return
    seen[board.epd()] = left
    played = engine.play(board, chess.engine.Limit(time=60))
    assert played.move is not None
    board.push(played.move)
    replies = list(board.legal_moves)
    assert board.is_checkmate() or (replies and left > 1), board.fen()
    for reply in replies:
        board.push(reply)
        defences(engine, board, left - 2, seen)
        board.pop()
    board.pop()


def test_every_defence_is_followed_down_to_mate(
    engine: chess.engine.SimpleEngine, tablebase: Tablebase
) -> None:
    rng = random.Random(8)
    visited = 0
    for number in range(GAMES):
        longest = 13 if number % 10 == 0 else 5
        while True:
            board = random_board(rng.choice(("KQvK", "KRvK", "KQvKR", "KBBvK")), rng)
            value = tablebase.value(board)
            if value.outcome is Outcome.WIN and 3 <= (value.plies or 0) <= longest:
                break
        seen: dict[str, int] = {}
        defences(engine, board, value.plies or 0, seen)
        visited += len(seen)
    assert visited > 3 * GAMES


class Talk:
    """A conversation within this process."""

    def __init__(self, folder: str | None = None) -> None:
        self.said: list[str] = []
        self.uci = Uci(self.said.append, Settings(folder, hash_mb=1))

    def ask(self, *lines: str) -> list[str]:
        """What is said to these lines, and then to the end of a search that has one."""
        before = len(self.said)
        self.uci.run(lines)
        return self.said[before:]


@pytest.fixture
def talk(tables: Path, tablebase: Tablebase) -> Talk:
    for fen in ("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", "8/8/3rk3/8/8/8/8/R3K3 w - - 0 1"):
        tablebase.value(chess.Board(fen))
    return Talk(str(tables))


def test_start_needs_no_numba() -> None:
    code = "import sys, zermelo.play.uci, zermelo.cli.play; print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_program_for_interfaces(tables: Path) -> None:
    """Bytes that are no text are ignored; the end of the input ends a search that has an end."""
    program = Path(sys.executable).with_name("zermelo-uci")
    typed = b"uci\n\xff\xfe go\x00\ngo depth 1\n"
    done = subprocess.run([program, "--dir", tables], input=typed, capture_output=True)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert "uciok" in lines
    assert lines[-1].startswith("bestmove ")


def test_a_cold_start_keeps_to_the_time_and_quits(tmp_path: Path) -> None:
    """Nothing is compiled yet, which takes far longer than the time that is given."""
    command = [sys.executable, "-m", "zermelo", "uci", "--dir", str(tmp_path)]
    typed = "isready\nposition startpos\ngo movetime 200\nisready\n"
    environment = {**os.environ, "ZERMELO_CACHE": str(tmp_path / "cache")}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(typed)
    process.stdin.flush()
    begun = time.monotonic()
    while not (line := process.stdout.readline()).startswith("bestmove "):
        assert line, "no answer"
    assert time.monotonic() - begun < 10
    assert chess.Move.from_uci(line.split()[1]) in chess.Board().legal_moves
    process.communicate("quit\n", timeout=10)
    assert process.returncode == 0


def test_ctrl_c(tables: Path) -> None:
    command = [sys.executable, "-m", "zermelo", "uci", "--dir", str(tables)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("uci\ngo infinite\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("info "):
            pass
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.splitlines()[-1].startswith("bestmove ")
    assert "Traceback" not in errors


def test_limits() -> None:
    words = [
        "wtime",
        "60000",
        "btime",
        "1000",
        "winc",
        "2000",
        "movestogo",
        "10",
        "garbage",
        "depth",
        "x",
    ]
    white = parse_go(words, True)
    assert white.clock == 60
    assert white.seconds == pytest.approx(60 / 10 + 1.5 - 0.03)
    black = parse_go(words, False).seconds
    assert black is not None
    assert black < 0.5
    assert parse_go(["mate", "3"], True).seconds is None
    assert parse_go([], True).seconds == 5
    moves = parse_go(["searchmoves", "e2e4", "d2d4", "infinite"], True)
    assert moves == Limits(moves=("e2e4", "d2d4"), infinite=True)
    assert parse_go(["wtime", "-5"], True).seconds == 0.005


def test_bad_positions_are_named_and_have_no_move(talk: Talk) -> None:
    for bad in (
        "position fen nonsense",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1",
        "position startpos moves e2e5",
        "position startpos moves 0000",
        "position",
    ):
        said = Talk().ask(bad, "go movetime 1")
        assert said[0].startswith("info string "), said
        assert said[-1] == "bestmove (none)"


def test_finished_games(talk: Talk) -> None:
    mated = talk.ask("position fen 8/8/8/8/8/5K2/6Q1/7k b - - 0 1", "go")
    assert mated[0].startswith("info depth 1 score mate 0 nodes 0 time ")
    assert " pv " not in mated[0]
    assert mated[1:] == ["bestmove (none)"]
    stalemate = Talk().ask("position fen 7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "go")
    assert "score cp 0" in stalemate[0]
    assert stalemate[1] == "bestmove (none)"


def test_mate_search_says_what_it_proves() -> None:
    said = Talk().ask(f"position fen {SEARCHED[:-4]}0 1", "go mate 2")
    assert not any("score mate" in line for line in said)
    said = Talk().ask("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "go mate 5")
    assert " score mate 2 " in said[-2]
    assert said[-1].startswith("bestmove a1a6")
    lost = Talk().ask("position fen k7/1pp5/8/8/8/8/5PPP/R5K1 b - - 0 1", "go depth 4")
    assert any("score" in line for line in lost)


def test_published_long_mates() -> None:
    """In so many moves and no fewer, with a line that ends in mate, in twelve positions."""
    with (Path(__file__).parent / "data" / "long_mates.csv").open() as file:
        rows = list(csv.DictReader(file))[:12]
    for row in rows:
        fen, moves = f"{row['position']} 0 1", int(row["moves"])
        said = Talk().ask(f"position fen {fen}", f"go mate {moves}")
        words = said[-2].split()
        found = int(words[words.index("mate") + 1])
        assert 0 < found <= moves, fen
        board = chess.Board(fen)
        line = words[words.index("pv") + 1 :]
        for move in line:
            board.push_uci(move)
        assert board.is_checkmate()
        assert len(line) == 2 * found - 1


def test_a_side_that_is_being_mated_says_so() -> None:
    fen = "kbK5/pp6/RP6/8/8/8/8/8 b - - 0 1"
    said = Talk().ask(f"position fen {fen}", "go mate 3")
    assert " score mate -1 " in said[-2]


def test_searchmoves(talk: Talk) -> None:
    said = talk.ask(
        "position fen 8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", f"{PATIENT} searchmoves e2e4 e1f1"
    )
    assert said[-1].startswith("bestmove e1f1")
    assert " score mate 16 " in said[-2]


def test_no_mate_in_one_is_allowed_before_kernels_are_ready() -> None:
    # Only 1…g6 or the like stops Qxf7#.
    start = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 1"
    for limit in ("movetime 1", "nodes 1", "depth 1"):
        said = Talk().ask(f"position fen {start}", f"go {limit}")
        board = chess.Board(start)
        board.push_uci(said[-1].split()[1])
        assert not any(board.gives_check(m) and mates(board, m) for m in board.legal_moves)


def exposed(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move allows a mate in one."""
    after = board.copy()
    after.push(move)
    return any(after.gives_check(r) and mates(after, r) for r in after.legal_moves)


def test_no_avoidable_mate_in_one_in_random_games() -> None:
    """Positions in which some moves allow a mate in one and others do not."""
    rng = random.Random(13)
    talk, tried = Talk(), 0
    while tried < 10:
        board = chess.Board()
        for _ in range(rng.randrange(10, 60)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        faults = {move for move in board.legal_moves if exposed(board, move)}
        if not 0 < len(faults) < board.legal_moves.count():
            continue
        tried += 1
        talk.uci.obey(f"position fen {board.fen()}")
        talk.uci.obey(f"go {rng.choice(('nodes 1', 'movetime 1', 'depth 2'))}")
        talk.uci._wait()
        move = chess.Move.from_uci(talk.said[-1].split()[1])
        assert move in board.legal_moves
        assert move not in faults, board.fen()
    talk.uci.run([])


def mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy()
    after.push(move)
    return after.is_checkmate()


def test_a_trap_is_set_in_a_draw(talk: Talk, tablebase: Tablebase) -> None:
    board = chess.Board("8/8/3rk3/8/8/8/8/R3K3 w - - 0 1")
    said = talk.ask(f"position fen {board.fen()}", PATIENT)
    chosen = chess.Move.from_uci(said[-1].split()[1])

    def keeping(move: chess.Move) -> int:
        after = board.copy()
        after.push(move)
        return sum(reply.value == DRAW for reply in tablebase.moves(after))

    drawing = [m.move for m in tablebase.moves(board) if m.value == DRAW]
    assert keeping(chosen) == min(map(keeping, drawing))


def test_the_fifty_move_rule_is_mentioned(talk: Talk) -> None:
    said = talk.ask("position fen 8/8/8/3k4/8/8/4R3/4K3 w - - 90 100", PATIENT)
    assert any("fifty-move rule" in line for line in said)
    said = Talk(talk.uci._thinker.settings.folder).ask(
        "position fen 8/8/8/3k4/8/8/4R3/4K3 w - - 60 100", PATIENT
    )
    assert not any("fifty-move rule" in line for line in said)


def test_infinite_waits_for_stop_and_ponder_for_a_hit() -> None:
    talk = Talk()
    talk.uci.obey("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    for begin, end in (("go infinite", "stop"), ("go ponder wtime 1000 btime 1000", "ponderhit")):
        talk.uci.obey(begin)
        time.sleep(0.5)
        talk.uci.obey("isready")
        assert talk.said[-1] == "readyok"
        assert not any(line.startswith("bestmove") for line in talk.said)
        talk.uci.obey(end)
        talk.uci._wait()
        assert sum(line.startswith("bestmove") for line in talk.said) == 1
        talk.said.clear()
    talk.uci.run([])


def test_settings(tmp_path: Path) -> None:
    said = Talk().ask("setoption name Nonsense value 1", "setoption name Hash value much")
    assert said == ["info string nonsense: no such option", "info string much: not a number"]
    folder = tmp_path / "none"
    said = Talk().ask(
        f"setoption name SyzygyPath value {folder}",
        "position fen 8/8/8/3k4/8/8/4R3/4K3 w - - 0 1",
        "go movetime 3000",
    )
    assert any(f"{folder}: not a folder" in line for line in said)
    assert said[-1].startswith("bestmove e")


def test_a_damaged_table_is_named_and_play_goes_on(tmp_path: Path) -> None:
    (tmp_path / "KRvK.ztb").write_bytes(b"no table")
    said = Talk(str(tmp_path)).ask("position fen 8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", "go depth 3")
    assert any("KRvK.ztb" in line for line in said if line.startswith("info string"))
    assert said[-1].startswith("bestmove e")


POSITIONS = [
    "startpos",
    "startpos moves e2e4 e7e5 g1f3",
    "fen 8/8/8/3k4/8/8/4R3/4K3 w - - 0 1",
    "fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "fen 8/8/8/8/8/5K2/6Q1/7k b - - 0 1",
    "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "fen 8/8/8 w",
]
GO = ["infinite", "movetime 20", "mate 2", "depth 2", "nodes 100", "wtime 100 btime 100", "ponder"]


class Storm(RuleBasedStateMachine):
    """Commands in any order: each go is answered once, each isready at once, nothing hangs."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.uci = Uci(self.said.append, Settings(os.environ["ZERMELO_TEST_TABLES"], hash_mb=1))
        self.asked = 0

    def answers(self) -> list[str]:
        return [line for line in self.said if line.startswith("bestmove ")]

    @rule(text=st.text(max_size=20).filter(lambda text: not set(text.split()) & set(COMMANDS)))
    def garbage(self, text: str) -> None:
        self.uci.obey(text)

    @rule(words=st.sampled_from(POSITIONS))
    def position(self, words: str) -> None:
        self.uci.obey(f"position {words}")

    @rule(words=st.sampled_from(GO), junk=st.sampled_from(["", "joho "]))
    def go(self, words: str, junk: str) -> None:
        self.uci.obey(f"{junk}go {words}")
        self.asked += 1
        assert len(self.answers()) >= self.asked - 1

    @rule()
    def ready(self) -> None:
        before = self.said.count("readyok")
        self.uci.obey("isready")
        assert self.said.count("readyok") == before + 1

    @rule(line=st.sampled_from(["stop", "ucinewgame", "setoption name Clear Hash"]))
    def stop(self, line: str) -> None:
        self.uci.obey(line)
        assert len(self.answers()) == self.asked

    @rule(line=st.sampled_from(["ponderhit", "debug on", "register later", "uci"]))
    def other(self, line: str) -> None:
        self.uci.obey(line)

    @precondition(lambda self: self.asked)
    @rule(pause=st.floats(0, 0.02))
    def wait(self, pause: float) -> None:
        time.sleep(pause)
        assert len(self.answers()) in (self.asked - 1, self.asked)

    def teardown(self) -> None:
        self.uci.run(["quit"])
        assert len(self.answers()) == self.asked


COMMANDS = ("uci", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit")


def test_storm(talk: Talk, tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZERMELO_TEST_TABLES", str(tables))
    talk.ask("position fen 8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", PATIENT)
    run_state_machine_as_test(
        Storm, settings=settings(max_examples=15, stateful_step_count=15, deadline=None)
    )
