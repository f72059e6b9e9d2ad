"""``zermelo game --method wintree|bounded``: proof search from the start, for either player."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import print_json

if TYPE_CHECKING:
    from zermelo.games.wintree import Proof


def search(name: str, game: Any, options: argparse.Namespace) -> int:
    """Runs the search for both players, unless the first one asked wins; prints what it found."""
    if options.method == "bounded":
        return _bounded(name, game, options)
    if options.play:
        from zermelo.cli.game_play import play_proof

        return play_proof(game, options)
    return _wintree(name, game, options)


def prove(game: Any, player: int, visits: int | None) -> Proof[Any]:
    """One run of WinTree with progress on a terminal."""
    from zermelo.cli.games import status
    from zermelo.games.wintree import win_tree

    with status(f"proof search, player {player}") as tell:
        return win_tree(
            game, player, limit=visits, progress=lambda count: tell(f"{count:,} visits")
        )


def _wintree(name: str, game: Any, options: argparse.Namespace) -> int:
    from zermelo.games.wintree import Mark

    begin = time.perf_counter()
    proofs: list[Proof[Any]] = []
    first = _first_player(game)
    for player in (first, -first):
        proofs.append(prove(game, player, options.visits))
        if proofs[-1].result is Mark.TRUE:
            break
    seconds = time.perf_counter() - begin
    rows = [_row(proof, options.verify) for proof in proofs]
    outcome = _outcome([(row["player"] == first, row["wins"]) for row in rows])
    if options.json:
        met: set[Any] = set()
        for proof in proofs:
            met |= proof.marks.keys()
        head = _head(name, "wintree", len(met), outcome, seconds)
        print_json(
            head
            | {
                "result": rows[0]["result"],
                "visits": sum(row["visits"] for row in rows),
                "players": [{k: v for k, v in row.items() if k != "wins"} for row in rows],
            }
        )
        return 0
    print(proofs[0].arena.rules.show(proofs[0].root[0]))
    for row in rows:
        print(_sentence(row, row["player"] == first))
    print(f"{name}   {outcome or 'undecided'} for the player to move   in {seconds:.1f} s")
    return 0


def _first_player(game: Any) -> int:
    from zermelo.games.graph import Arena

    return Arena(game).start[1]


def _head(
    name: str, method: str, positions: int, outcome: str | None, seconds: float
) -> dict[str, Any]:
    """The keys of every report; those that only the full solution knows are null."""
    return {
        "game": name,
        "method": method,
        "positions": positions,
        "arcs": None,
        "outcome": outcome,
        "plies": None,
        "wins": None,
        "losses": None,
        "draws": None,
        "max_plies": None,
        "seconds": round(seconds, 3),
    }


def _outcome(answers: list[tuple[bool, bool | None]]) -> str | None:
    """The outcome for the player to move from (is it his question, does the player win?)."""
    for to_move, wins in answers:
        if wins:
            return "win" if to_move else "loss"
    if len(answers) == 2 and all(wins is False for _, wins in answers):
        return "draw"
    return None


def _row(proof: Proof[Any], verify: bool) -> dict[str, Any]:
    """What one run says, with its strategy: a winning tree or a set that is never left."""
    from zermelo.games.certificate import check_closed_set, check_winning_tree
    from zermelo.games.strategy import closed_set, winning_tree
    from zermelo.games.wintree import Mark

    rules = proof.arena.rules
    row: dict[str, Any] = {
        "player": proof.player,
        "result": None if proof.result is None else proof.result.value,
        "wins": None if proof.result is None else proof.result is Mark.TRUE,
        "visits": proof.visits,
        "bound": proof.plies,
        "strategy": None,
    }
    if proof.result is None:
        return row
    if proof.result is Mark.TRUE:
        tree = winning_tree(proof)
        choice, size, kind = tree.choice, len(tree.plies), "winning tree"
        checked = check_winning_tree(rules.game, tree) if verify else None
    else:
        kept = closed_set(proof)
        choice, size, kind = kept.choice, len(kept.vertices), "never losing"
        checked = check_closed_set(rules.game, kept) if verify else None
    move = None
    if proof.root in choice:
        move = rules.name_move(proof.root[0], choice[proof.root][0])
    row["strategy"] = {"kind": kind, "positions": size, "move": move}
    if checked is not None:
        row["verified"] = checked
    return row


def _named(to_move: bool) -> str:
    return "player to move" if to_move else "other player"


def _sentence(row: dict[str, Any], to_move: bool) -> str:
    text = f"  {_named(to_move):14} "
    if row["result"] is None:
        return text + f"nothing proven: gave up after {row['visits']:,} visits (raise --visits)"
    strategy = row["strategy"]
    if row["wins"]:
        text += f"TRUE: wins, in {row['bound']} plies at most"
        held = f"winning tree of {strategy['positions']:,} positions"
    else:
        text += f"{row['result']}: cannot force a win"
        held = f"the opponent never leaves {strategy['positions']:,} positions"
    if strategy["move"]:
        held += f", first move {strategy['move']}"
    checked = f"; verified {row['verified']:,}" if "verified" in row else ""
    return f"{text}   {row['visits']:,} visits   {held}{checked}"


def _bounded(name: str, game: Any, options: argparse.Namespace) -> int:
    from zermelo.cli.games import status
    from zermelo.games.bounded import bounded

    begin = time.perf_counter()
    depth, first = options.depth or 64, _first_player(game)
    found = []
    for player in (first, -first):
        with status(f"bounded search, player {player}") as tell:
            found.append(
                bounded(
                    game,
                    player,
                    depth,
                    limit=options.visits,
                    progress=lambda plies, visits: tell(f"{plies} plies, {visits:,} visits"),
                )
            )
        if found[-1].won:
            break
    seconds = time.perf_counter() - begin
    outcome = _outcome([(one.player == first, one.won) for one in found])
    if options.json:
        met = {vertex for one in found for vertex in (*one.within, *one.beyond)}
        head = _head(name, "bounded", len(met), outcome, seconds)
        head["plies"] = found[-1].plies
        head["visits"] = sum(one.visits for one in found)
        head["players"] = [
            {"player": one.player, "wins": one.won, "plies": one.plies, "depth": one.depth}
            for one in found
        ]
        print_json(head)
        return 0
    print(found[0].arena.rules.show(found[0].root[0]))
    for one in found:
        text = f"no win within {one.depth} plies; deeper ones are not excluded"
        if one.won:
            text = f"wins in {one.plies} plies"
        elif one.won is False:
            text = "cannot force a win"
        elif one.depth < depth:
            text = f"no win within {one.depth} plies; gave up there (raise --visits)"
        print(f"  {_named(one.player == first):14} {text}   {one.visits:,} visits")
    print(f"{name}   {outcome or 'undecided'} for the player to move   in {seconds:.1f} s")
    return 0
