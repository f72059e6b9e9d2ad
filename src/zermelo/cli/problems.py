"""``zermelo mate``: the solution of a mate problem and the verdict on it."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import add_command, add_dir, announce_compilation, lines_of, refuse
from zermelo.cli.problem_output import (
    print_bad,
    print_illegal,
    print_solution,
    print_undecided,
    progress,
    write_svg,
)
from zermelo.errors import InputError, LimitError, TableError
from zermelo.writing import check_place

if TYPE_CHECKING:
    from zermelo.problems.engine import Engine
    from zermelo.problems.reading import Problem
    from zermelo.problems.solution import Request, Solver
    from zermelo.problems.tree import Solution

_PATIENCE = 60.0
"""Seconds that the search for the shortest mate may take unless --time says otherwise."""
_PLAY = ("tries", "set-play", "depth", "threats", "defences")
_ALL_CHECKED = 3
"""Up to this length --check also shows that every other first move fails."""

EXAMPLE = """\
zermelo mate "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1" 2
  zermelo mate "white Kc8 Ra1 Pb6 / black Ka8 Bb8 Pa7 Pb7"
  zermelo mate --file problems.epd --keys-only --json"""

RULES = """\
rules as among composers:
  Stalemate is a defence; repetition and the fifty-move rule are not. Castling is allowed where the
  FEN grants it, en passant where the FEN names a square that a pawn has just passed.

The diagram is a FEN or a list of men: "white Ke1 Re2 / black Kd5", "Ke1 Re2 / kd5 w". A file has
one a line, with the length as "bm #3;", "dm 3;" or "#3". Either side may be the one that mates.
From mate in 8 on one key is proven; --keys-only, --tries and --set-play look for all of them.
"""


def register(commands: Any) -> None:
    """Adds the command ``mate``."""
    command = add_command(commands, "mate", _mate, "solve a mate problem", EXAMPLE)
    command.epilog = f"{command.epilog}\n\n{RULES}"
    command.add_argument(
        "words",
        metavar="FEN N",
        nargs="*",
        help="the diagram, a FEN or a list of men, and mate in N; without N the shortest is sought",
    )
    add_dir(command)
    command.add_argument("--file", metavar="F", help="solve all problems of a file (- for stdin)")
    _add_contents(command.add_argument_group("what belongs to the solution"))
    shape = command.add_argument_group("output")
    shape.add_argument("--long", action="store_true", help="long notation, S for knight")
    shape.add_argument("--pgn", action="store_true", help="a game with variations")
    shape.add_argument("--svg", metavar="F", help="write the diagram to F")
    shape.add_argument("--check", action="store_true", help="replay the solution with python-chess")
    shape.add_argument(
        "--certificate", metavar="F", help="prove the mate and write the proof tree to F"
    )
    limits = command.add_argument_group("limits")
    limits.add_argument(
        "--tables", action="store_true", help="look positions with few men up in the tables"
    )
    limits.add_argument(
        "--time", metavar="S", type=float, help="seconds for each problem (without N: 60)"
    )
    limits.add_argument(
        "--hash", metavar="MB", type=int, default=64, help="hash table (default: 64)"
    )
    limits.add_argument("--jobs", metavar="J", type=int, default=1, help="threads (default: 1)")


def _add_contents(group: Any) -> None:
    group.add_argument("--keys-only", action="store_true", help="all keys and the verdict only")
    group.add_argument(
        "--tries", metavar="K", type=int, help="tries with up to K refutations (0: none; to #3: 1)"
    )
    group.add_argument("--set-play", action="store_true", help="set play beyond #3 too")
    group.add_argument(
        "--threats",
        choices=("shortest", "all"),
        help="the shortest threats only (default), or those of any length",
    )
    group.add_argument(
        "--defences",
        choices=("any", "all"),
        help="list defences that defeat any threat (default), or only those that defeat all",
    )
    group.add_argument(
        "--postkey", action="store_true", help="White's key has been played: Black is to move"
    )
    group.add_argument(
        "--assume-castling",
        action="store_true",
        help="grant all castling that kings and rooks at home allow",
    )
    group.add_argument("--depth", metavar="D", type=int, help="play out D moves after the key")


def _mate(options: argparse.Namespace) -> int:
    _refuse_useless(options)
    announce_compilation()
    request = _request(options)
    if options.file:
        return _solve_file(options, request)
    problem = _diagram(options)
    _check_places(options)
    return _solve(options, problem, request, _engine(options))


def _refuse_useless(options: argparse.Namespace) -> None:
    """Raises InputError for an option that what is asked for has no use for."""
    if options.json:
        refuse(options, "not with --json; leave one of them out", "long", "pgn")
    if options.pgn:
        refuse(options, "not with --pgn; leave one of them out", "long")
    if options.keys_only:
        refuse(options, "not with --keys-only, which shows no play", *_PLAY)
    if options.certificate:
        refuse(options, "not with --certificate, for which one key is proven", "keys-only", *_PLAY)
    if options.postkey:
        names = ("keys-only", "tries", "set-play", "certificate")
        refuse(options, "not with --postkey, after which no key is sought", *names)
    if not options.tables:
        refuse(options, "only with --tables", "dir")


def _check_places(options: argparse.Namespace) -> None:
    for name in filter(None, (options.certificate, options.svg)):
        check_place(Path(name))


def _solve_file(options: argparse.Namespace, request: Request) -> int:
    """Solves a problem a line; one that cannot be read is reported, and the others go on."""
    from zermelo.problems.reading import entries, read_problem

    if len(options.words) > 1:
        raise InputError(f"{' '.join(options.words)}: either a diagram or --file, not both")
    default = _number(options.words[0]) if options.words else None
    with lines_of(options.file) as file:
        lines = list(entries(file))
    if len(lines) != 1:
        refuse(options, "holds one problem, not many", "certificate", "svg")
    _check_places(options)
    engine = _engine(options)
    code, bad, shown = 0, False, False
    for number, text in lines:
        try:
            problem = read_problem(text)
            if shown and not options.json:
                print()
            shown = True
            problem = replace(problem, n=problem.n or default)
            code = max(code, _solve(options, problem, request, engine))
        except InputError as error:
            print_bad(options, number, text, error)
            bad = True
    return InputError.exit_code if bad else code


def _engine(options: argparse.Namespace) -> Engine:
    """The engine, with tables if they are wanted, ready to be timed."""
    from zermelo.problems.engine import Engine
    from zermelo.problems.solution import warm_up

    engine = Engine(hash_mb=options.hash, jobs=options.jobs)
    warm_up(engine)
    if not options.tables:
        return engine
    from zermelo.problems.tabled import TabledEngine
    from zermelo.tables.tablebase import Tablebase

    tablebase = Tablebase(options.dir, tell=lambda text: print(text, file=sys.stderr))
    return TabledEngine(tablebase, hash_mb=options.hash, jobs=options.jobs)


def _request(options: argparse.Namespace) -> Request:
    from zermelo.problems.play import WHOLE, Conventions
    from zermelo.problems.solution import Request

    for name in ("tries", "depth", "time"):
        value = getattr(options, name)
        if value is not None and value < 0:
            raise InputError(f"--{name} {value}: must not be negative")
    return Request(
        keys_only=options.keys_only,
        proof=bool(options.certificate),
        tries=options.tries,
        set_play=options.set_play or None,
        conventions=Conventions(options.threats == "all", options.defences == "all"),
        postkey=options.postkey,
        assume_castling=options.assume_castling,
        depth=WHOLE if options.depth is None else options.depth,
        seconds=options.time,
    )


def _diagram(options: argparse.Namespace) -> Problem:
    """The diagram that was typed, with its length."""
    from zermelo.problems.reading import Problem, read_board

    if not options.words:
        raise InputError("no diagram: give a FEN, a list of men, or --file F")
    text, n = _parted(options.words)
    board = read_board(text)
    fields = text.split()
    written = " ".join(fields) if "/" in fields[0] else board.fen(en_passant="fen")
    return Problem(board, written, n, "")


def _parted(words: list[str]) -> tuple[str, int | None]:
    """Diagram and length; a diagram without quotation marks may end in the counters of a FEN."""
    if len(words) == 2 and " " in words[0]:
        return words[0], _number(words[1])
    fields = " ".join(words).split()
    counters = len(fields) == 6 and "/" in fields[0] and len(words) > 1
    if len(words) > 1 and fields[-1].isdigit() and not counters:
        return " ".join(fields[:-1]), _number(fields[-1])
    return " ".join(fields), None


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f"{text!r}: N must be a number of moves, 1 or more")
    return int(text)


def _solve(options: argparse.Namespace, problem: Problem, request: Request, engine: Engine) -> int:
    """Solves one problem and prints it; returns the exit code."""
    from zermelo.problems.solution import IllegalDiagramError, Solver

    try:
        if problem.n is None:
            refuse(options, "name the length, as in zermelo mate FEN 2 --postkey", "postkey")
            return _seek(options, problem, request, engine)
        solver = Solver(problem.board, problem.n, request, engine)
    except IllegalDiagramError as error:
        if not options.file:
            raise
        print_illegal(options, problem, error.reasons)
        return 0
    return _run(options, problem, solver)


def _run(options: argparse.Namespace, problem: Problem, solver: Solver, **found: int) -> int:
    """Lets a solver work and prints what it has found, be it interrupted or not."""
    if options.svg:
        write_svg(Path(options.svg), solver.board)
    try:
        with progress(f"mate in {solver.n}"):
            solver.run()
    except KeyboardInterrupt:
        print_solution(options, problem, solver.solution(), found)
        raise
    solution = solver.solution()
    print_solution(options, problem, solution, found)
    if options.certificate and solution.keys:
        _certify(options, solver)
    if options.check:
        _check(options, solution, solver.engine)
    return 0 if solution.complete else LimitError.exit_code


def _seek(options: argparse.Namespace, problem: Problem, request: Request, engine: Engine) -> int:
    """Looks for the shortest mate; says what was proven when time runs out or Ctrl-C comes."""
    from zermelo.problems.engine import LONGEST, TimeLimitError
    from zermelo.problems.solution import Solver, shortest_mate

    limit = _PATIENCE if options.time is None else options.time
    board = Solver(problem.board, 1, request, engine).board
    none = 0
    try:
        with progress("shortest mate") as shown:
            for n, proven in shortest_mate(board, engine, deadline=time.monotonic() + limit):
                none = n - proven
                if shown:
                    shown.update(f"no mate in {none} …")
    except TimeLimitError:
        print_undecided(options, problem, none, f"{limit:g} s are up, allow more with --time")
        return LimitError.exit_code
    except KeyboardInterrupt:
        print_undecided(options, problem, none, "interrupted")
        raise
    n = min(none + 1, LONGEST)
    if not options.json:
        mate = [f"mate in {n}"] if none < n else []
        print("proven: " + ", ".join([f"no mate in {none}"] * bool(none) + mate))
    solver = Solver(problem.board, n, request, engine)
    if none == n:
        print_solution(options, problem, solver.refuted(), {"no_mate_in": none})
        return 0
    return _run(options, problem, solver, no_mate_in=none, shortest=n)


def _certify(options: argparse.Namespace, solver: Solver) -> None:
    """Writes the proof of the mate, after checking it."""
    from zermelo.problems.advice import certify
    from zermelo.problems.certificate import faults, write

    with progress("certificate"):
        certificate = certify(solver.board, solver.n, solver.engine)
        if certificate is None:
            raise InputError(f"{solver.board.fen()}: no mate in {solver.n}, so no certificate")
        wrong = faults(certificate)
    if wrong:
        raise TableError(f"{options.certificate}: not written, the proof is wrong: {wrong[0]}")
    write(certificate, Path(options.certificate))
    if not options.json:
        print(
            f"  wrote     {options.certificate}: mate in {certificate.mate_in} proven by "
            f"{len(certificate.steps):,} positions"
        )


def _check(options: argparse.Namespace, solution: Solution, engine: Engine) -> None:
    from zermelo.problems.advice import EngineAdviser
    from zermelo.problems.checker import Checker

    checker = Checker(EngineAdviser(engine))
    others = solution.complete and solution.n <= _ALL_CHECKED and not solution.postkey
    faults = checker.faults(solution, others=others)
    if faults:
        raise TableError(f"{solution.fen}: the solution fails its check: {'; '.join(faults[:3])}")
    if not options.json:
        print("  checked   move by move with python-chess")
