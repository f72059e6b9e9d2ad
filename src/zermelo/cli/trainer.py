"""The trainer in a terminal: reads moves and commands, draws the board, prints grades."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from zermelo.cli.common import announce_compilation, lines_of, print_json, refuse
from zermelo.errors import InputError
from zermelo.writing import check_place, write

if TYPE_CHECKING:
    import chess

    from zermelo.play.records import Records
    from zermelo.play.trainer import Grade, Summary, Trainer
    from zermelo.tables.material import Material
    from zermelo.tables.tablebase import RankedMove, Tablebase

HELP = """\
a move in SAN or UCI (Kd6, e6d6), or
  hint    which man; again: to which squares; again: the move
  undo    take back your last move and the reply
  board   draw the board again
  quit    stop; --resume goes on here later"""


class QuitError(Exception):
    """The learner has had enough, or the input has ended."""


def play(options: argparse.Namespace) -> int:
    """``zermelo play``."""
    announce_compilation()
    for file in filter(None, (options.pgn, options.epd)):
        check_place(Path(file))
    from zermelo.play.records import Records, default_file
    from zermelo.tables.folder import command
    from zermelo.tables.tablebase import Tablebase

    records = Records(default_file())
    session = Session(options, records)
    with Tablebase(options.dir, tell=session.aside) as tablebase:
        try:
            for number, trainer in enumerate(_games(options, tablebase, records, session)):
                if number and options.position and not session.goes_on():
                    break
                session.play(trainer)
        except (QuitError, KeyboardInterrupt) as end:
            session.finish()
            if isinstance(end, KeyboardInterrupt):
                raise
            again = command("play --resume", tablebase.folder)
            session.say(f"Kept: {again} goes on here." if records.game else "Bye.")
            return 0
        session.finish()
    return 0


def _games(
    options: argparse.Namespace, tablebase: Tablebase, records: Records, session: Session
) -> Iterator[Trainer]:
    from zermelo.play.trainer import Trainer

    if options.resume:
        if options.position:
            raise InputError("--resume goes on with the game that was kept; name no position")
        refuse(options, "not with --resume", "mate-in", "draw", "random", "side", "seed")
        if records.game is None:
            raise InputError("--resume: no game was kept; begin one, as in zermelo play KBNvK")
        yield Trainer.resume(tablebase, records.game)
        return
    if not options.position:
        raise InputError("nothing to play: name a material, a FEN or a file, as in KBNvK")
    for board in _starts(options, tablebase, session):
        yield Trainer(tablebase, board, _hero(options, board))


def _hero(options: argparse.Namespace, board: chess.Board) -> chess.Color:
    return board.turn if options.side is None else options.side == "white"


def _starts(
    options: argparse.Namespace, tablebase: Tablebase, session: Session
) -> Iterator[chess.Board]:
    from zermelo.problems.reading import read_board, read_problems
    from zermelo.tables.material import Material

    text = " ".join(options.position)
    seed = options.seed if options.seed is not None else random.randrange(1_000_000)
    file = text.lower().endswith(".epd") or Path(text).is_file()
    if file or "/" in text or " " in text:
        refuse(options, "only with a material, as in zermelo play KBNvK", "mate-in", "draw")
    if not file:
        refuse(options, "only with a file of positions", "random")
    if file:
        try:
            with lines_of(text, errors="strict") as lines:
                boards = [problem.board for problem in read_problems(lines, text)]
        except UnicodeDecodeError:
            raise InputError(f"{text}: no text; a file of positions has one a line") from None
        if not boards:
            raise InputError(f"{text}: no position in it")
        if options.random:
            random.Random(seed).shuffle(boards)
        yield from boards
        return
    if "/" in text or " " in text:
        yield read_board(text)
        return
    material = Material.parse(text)
    if not material.halves:
        raise InputError(f"{material}: nobody can mate; name another, as in KBNvK")
    session.say(f"(--seed {seed} begins with the same position again)")
    while True:
        yield _start(options, tablebase, material, seed)
        seed += 1


def _start(
    options: argparse.Namespace, tablebase: Tablebase, material: Material, seed: int
) -> chess.Board:
    from zermelo.play import starts

    hero = options.side == "white" if options.side else not options.draw
    if options.draw and options.mate_in is not None:
        raise InputError("--draw and --mate-in: a drawn position has no mate; give one of them")
    if options.draw:
        return starts.drawing(tablebase, material, hero, seed)
    if options.mate_in is not None:
        return starts.mating(tablebase, material, options.mate_in, hero, seed)
    return starts.any_decided(tablebase, material, hero, seed)


def draw(board: chess.Board, below: chess.Color, plain: bool) -> str:
    """The board with one side below, in letters if ``plain``, else with Unicode's chessmen."""
    import chess

    files = range(8) if below else range(7, -1, -1)
    rows = []
    for rank in range(7, -1, -1) if below else range(8):
        men = []
        for file in files:
            piece = board.piece_at(chess.square(file, rank))
            if piece is None:
                men.append("." if plain else "·")
            else:
                men.append(piece.symbol() if plain else piece.unicode_symbol())
        rows.append(f"{rank + 1}  {' '.join(men)}")
    names = " ".join(chess.FILE_NAMES[file] for file in files)
    return "\n".join([*rows, f"   {names}"])


class Session:
    """One sitting: what is asked and said, the games played, and where they are kept."""

    def __init__(self, options: argparse.Namespace, records: Records) -> None:
        self._json: bool = options.json
        self._files = options.pgn, options.epd
        self._records = records
        self._games: list[Trainer] = []
        self._out = sys.stderr if self._json else sys.stdout
        self._plain: bool = options.plain or not _has_chessmen(self._out.encoding)

    def say(self, text: str) -> None:
        """A line for the learner."""
        print(text, file=self._out, flush=True)

    def aside(self, text: str) -> None:
        """A line about the work behind."""
        print(text, file=sys.stderr, flush=True)

    def _ask(self, prompt: str) -> str:
        # The prompt is input()'s own on a terminal, so that editing the line keeps it.
        if self._json:
            print(prompt, end="", file=self._out, flush=True)
        try:
            return input("" if self._json else prompt).strip()
        except EOFError:
            self.say("")
            raise QuitError from None

    def goes_on(self) -> bool:
        """Whether another game is wanted."""
        return self._ask("another? (Enter, or quit) ").lower() not in ("q", "quit", "n", "no")

    def play(self, trainer: Trainer) -> None:
        """One game, to its end; raises QuitError before it."""
        self._games.append(trainer)
        self.say(f"You have {'White' if trainer.hero else 'Black'}: {trainer.task}.")
        self._board(trainer)
        while True:
            if reply := trainer.reply():
                self._show_reply(trainer, reply)
            self._keep(trainer)
            if trainer.over is None:
                self._turn(trainer)
            elif self._stands(trainer):
                break
        self._end(trainer)

    def _turn(self, trainer: Trainer) -> None:
        """Asks until a move is made."""
        while True:
            text = self._ask("your move: ")
            word = text.lower()
            try:
                if word in ("q", "quit", "exit"):
                    raise QuitError
                if word in ("h", "hint"):
                    self.say(trainer.hint())
                elif word in ("u", "undo"):
                    trainer.undo()
                    self._board(trainer)
                elif word in ("b", "board"):
                    self._board(trainer)
                elif word in ("", "?", "help"):
                    self.say(HELP)
                else:
                    self._show_grade(trainer.play(text))
                    return
            except InputError as error:
                self.say(str(error))
                continue
            self._keep(trainer)

    def _stands(self, trainer: Trainer) -> bool:
        """Whether a game that is over stays so: a blunder may be taken back even then."""
        if trainer.summary().succeeded:
            return True
        try:
            word = self._ask(f"{trainer.over}; undo, or Enter: ")
        except QuitError:
            return True
        if word.lower() not in ("u", "undo"):
            return True
        trainer.undo()
        self._board(trainer)
        return False

    def _board(self, trainer: Trainer) -> None:
        self.say(draw(trainer.board, trainer.hero, self._plain))

    def _show_grade(self, grade: Grade) -> None:
        self.say(f"{grade.played.san}   {grade.words}")
        if grade.lost is None:
            self.say("(undo takes it back)")

    def _show_reply(self, trainer: Trainer, reply: RankedMove) -> None:
        from zermelo.play.pgn import distance

        self.say(f"…{reply.san}   {distance(reply.value)}")
        self._board(trainer)

    def _keep(self, trainer: Trainer) -> None:
        self._records.game = trainer.state() if trainer.over is None else None
        self._records.save()

    def _end(self, trainer: Trainer) -> None:
        from zermelo.tables.boards import material_of

        summary = trainer.summary()
        name = f"{material_of(trainer.start)} {trainer.goal.outcome.word}"
        record = self._records[name]
        record.add(summary)
        self._records.save()
        if self._json:
            print_json(_json(trainer, summary, name))
            return
        if trainer.board.is_checkmate() and trainer.board.turn == trainer.hero:
            self._board(trainer)
        self.say(f"{trainer.over}   {summary.result}")
        self.say(_text(summary))
        self.say(
            f"{name}: {record.succeeded} of {record.played} reached, "
            f"{record.streak} in a row (best {record.longest_streak}), "
            f"best accuracy {record.best_accuracy} %"
        )

    def finish(self) -> None:
        """Writes the session's games and positions to the files that were asked for."""
        pgn, epd = self._files
        if pgn:
            _write(pgn, "\n\n".join(trainer.pgn() for trainer in self._games))
        if epd:
            _write(epd, "\n".join(trainer.epd() for trainer in self._games))


def _has_chessmen(encoding: str | None) -> bool:
    try:
        "♔·".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _text(summary: Summary) -> str:
    moves = "1 move" if summary.moves == 1 else f"{summary.moves} moves"
    parts = [f"{moves}, {summary.best} of them best", f"{summary.plies_lost} plies lost"]
    for number, word in (
        (summary.blunders, "blunders"),
        (summary.hints, "hints"),
        (summary.undone, "taken back"),
    ):
        if number:
            parts.append(f"{number} {word}")
    return f"{', '.join(parts)}; accuracy {summary.accuracy} %"


def _json(trainer: Trainer, summary: Summary, name: str) -> dict[str, object]:
    goal = {"outcome": summary.goal.outcome.word, "plies": summary.goal.plies}
    return {
        "fen": trainer.start.fen(en_passant="fen"),
        "record": name,
        "end": trainer.over,
        **summary._asdict(),
        "goal": goal,
    }


def _write(name: str, text: str) -> None:
    write(Path(name), f"{text}\n" if text else "")
