"""The HTTP API: answers against independent values, the public client, limits and refusals."""

from __future__ import annotations

import asyncio
import csv
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import berserk
import chess
import pytest
import requests

from web_server import Client, asking, served
from zermelo.tables.material import Material
from zermelo.tables.tablebase import Tablebase
from zermelo.web import limits
from zermelo.web.limits import BusyError, Desk
from zermelo.web.openapi import document

ROWS = list(csv.DictReader((Path(__file__).parent / "data/positions.csv").read_text().splitlines()))
ROOK = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"
CATEGORIES = {"2": "win", "0": "draw", "-2": "loss"}


@pytest.fixture(scope="module")
def client(tables: Path, tablebase: Tablebase) -> Iterator[Client]:
    """A client of the application, every table of the rows being there."""
    for row in ROWS:
        tablebase.value(chess.Board(row["fen"]))
    with asking(tables, cache=100) as opened:
        yield opened


def _asked(client: Client, fen: str, path: str = "/standard") -> Any:
    answer = client.get(path, params={"fen": fen})
    assert answer.status_code == 200, answer.text
    return answer.json()


def _rank(move: dict[str, Any]) -> tuple[int, int, str]:
    """Wins by fewest plies, draws, losses by most; a move's own values are the opponent's."""
    kind = ["loss", "draw", "win"].index(move["category"])
    return kind, -move["dtm"] if kind == 0 else -abs(move["dtm"]), move["uci"]


def test_every_row_of_independent_values(client: Client) -> None:
    assert len(ROWS) > 2000
    for row in ROWS:
        found = _asked(client, row["fen"])
        assert found["category"] == CATEGORIES[row["wdl"]], row
        assert found["dtm"] == int(row["dtm_plies"]), row
        # The published distances to zeroing may be rounded by one.
        assert found["dtz"] is None or abs(found["dtz"] - int(row["dtz_rounded"])) <= 1, row
        assert found["moves"] == sorted(found["moves"], key=_rank)
        assert len(found["moves"]) == chess.Board(row["fen"]).legal_moves.count()


def test_distance_to_zeroing_is_known_where_nothing_zeroes_before_mate(client: Client) -> None:
    for material in ("KQvK", "KRvK", "KBBvK", "KBNvK"):
        rows = [row for row in ROWS if _name(row["fen"]) == material]
        assert rows
        assert all(_asked(client, row["fen"])["dtz"] is not None for row in rows)


def _name(fen: str) -> str:
    from zermelo.tables.boards import material_of

    return str(material_of(chess.Board(fen)))


@pytest.mark.parametrize(
    "fen",
    [ROOK, "8/2P5/8/8/8/1k6/8/1K5r w - - 0 1", "8/8/8/8/8/2k5/1r6/K7 w - - 0 1"],
)
def test_moves_have_the_values_of_the_positions_after_them(client: Client, fen: str) -> None:
    board = chess.Board(fen)
    found = _asked(client, fen)
    for move in found["moves"]:
        played = board.parse_uci(move["uci"])
        assert move["san"] == board.san(played)
        assert move["zeroing"] == board.is_zeroing(played)
        board.push(played)
        after = _asked(client, board.fen().replace(" ", "_"))
        after.pop("moves")
        assert after == {name: move[name] for name in after}
        assert move["checkmate"] == board.is_checkmate()
        assert move["stalemate"] == board.is_stalemate()
        assert move["insufficient_material"] == board.is_insufficient_material()
        board.pop()


def test_mated_and_stalemated(client: Client) -> None:
    mated = _asked(client, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert (mated["category"], mated["dtm"], mated["checkmate"]) == ("loss", 0, True)
    assert mated["moves"] == []
    stuck = _asked(client, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert (stuck["category"], stuck["dtm"], stuck["stalemate"]) == ("draw", 0, True)
    bare = _asked(client, "7k/8/6K1/8/8/8/8/8 b - - 0 1")
    assert (bare["category"], bare["insufficient_material"]) == ("draw", True)


def test_mainline_is_legal_and_as_long_as_it_says(client: Client) -> None:
    for row in ROWS[::200]:
        found = _asked(client, row["fen"], "/standard/mainline")
        board = chess.Board(row["fen"])
        assert len(found["mainline"]) == abs(int(row["dtm_plies"]))
        winner = {"2": "w", "-2": "b", "0": None}[row["wdl"]]
        if board.turn == chess.BLACK and winner:
            winner = "wb".replace(winner, "")
        assert found["winner"] == winner
        for step in found["mainline"]:
            assert step["san"] == board.san(board.parse_uci(step["uci"]))
            board.push_uci(step["uci"])
        assert board.is_checkmate() == (winner is not None)


def test_the_public_client_works_unchanged(tables: Path, client: Client) -> None:
    with served(tables) as address:
        public = berserk.Client(tablebase_url=address)
        for row in ROWS[::100]:
            found = public.tablebase.standard(row["fen"])
            assert found["category"] == CATEGORIES[row["wdl"]]
            assert found["dtm"] == int(row["dtm_plies"])
        assert public.tablebase.look_up(ROOK)["moves"][0]["uci"] == "e1d1"


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/standard", 400, "fen: missing"),
        ("/standard?fen=", 400, "fen: missing"),
        ("/standard?fen=zz", 400, "not a man"),
        ("/standard?fen=8/8/8/8/8/8/8/8_w_-_-_0_1", 400, "no king"),
        (f"/standard?fen={'8' * 201}", 400, "at most 200"),
        ("/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1", 400, "castling rights"),
        ("/standard?fen=4k3/8/8/8/8/8/8/QRBNK3_w_-_-_0_1", 404, "zermelo solve KQRBNvK"),
        ("/standard/mainline?fen=4k3/8/8/8/8/8/8/QRBNK3_w_-_-_0_1", 404, "zermelo solve KQRBNvK"),
        ("/mate?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1", 400, "n: missing"),
        ("/mate?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&n=x", 400, "whole number"),
        ("/mate?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&n=0", 400, "whole number"),
        ("/mate?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&n=2&format=exe", 400, "format"),
        ("/mate?fen=4k3/4K3/8/8/8/8/8/8_w_-_-_0_1&n=1", 400, "illegal diagram"),
        ("/tables/KXvK", 400, "no material"),
        ("/tables/KQQQvKQ", 413, "zermelo census KQQQvKQ"),
        ("/solve/KQRBNvK", 404, "not being made"),
        ("/men/xK.svg", 400, "no such man"),
        ("/atomic?fen=8/8", 404, "Not Found"),
    ],
)
def test_refusals(client: Client, path: str, status: int, words: str) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_a_damaged_file_is_a_500_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "KRvK.ztb").write_bytes(b"nonsense")
    with asking(tmp_path) as client:
        answer = client.get("/standard", params={"fen": ROOK})
        assert answer.status_code == 500
        assert "KRvK.ztb" in answer.json()["error"]
        listed = client.get("/tables").json()
        assert listed["tables"] == []
        assert listed["damaged"][0]["file"] == "KRvK.ztb"


def test_people_get_a_page_with_the_error(client: Client) -> None:
    answer = client.get("/standard", headers={"accept": "text/html"})
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/html")
    assert "fen: missing" in answer.text


def test_safe_headers_and_other_origins(client: Client) -> None:
    for path in ("/standard", "/", "/static/zermelo.css", "/men/wK.svg", "/nowhere"):
        headers = client.get(path).headers
        assert headers["access-control-allow-origin"] == "*"
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
    preflight = client.options(
        "/standard", headers={"origin": "http://elsewhere", "access-control-request-method": "GET"}
    )
    assert preflight.status_code == 204
    assert "POST" not in preflight.headers["access-control-allow-methods"]


def _post(client: Client, body: Any, **headers: str) -> Any:
    return client.post("/solve", json=body, headers=headers)


def _wait(client: Client, material: str) -> Any:
    for _ in range(1200):
        job = client.get(f"/solve/{material}").json()
        if job["state"] in ("done", "failed"):
            return job
        time.sleep(0.1)
    raise AssertionError(f"{material} is not done: {job}")


def test_a_missing_table_is_made_in_the_background(tmp_path: Path) -> None:
    with asking(tmp_path) as client:
        assert client.get("/standard", params={"fen": ROOK}).status_code == 404
        assert not list(tmp_path.iterdir()), "no GET makes anything"
        answer = _post(client, {"material": "krk"})
        assert answer.status_code == 202
        assert answer.json()["material"] == "KRvK"
        assert _wait(client, "KRvK")["progress"] == 1
        assert _asked(client, ROOK)["dtm"] == 27
        assert [job["state"] for job in client.get("/solve").json()["jobs"]] == ["done"]
        listed = client.get("/tables").json()["tables"]
        assert [(entry["material"], entry["longest"]) for entry in listed] == [("KRvK", 32)]
        assert listed[0]["black"] == {"wins": 0, "draws": 2796, "losses": 25260}


def test_what_post_refuses(client: Client, tables: Path) -> None:
    assert _post(client, {"material": "KQRvKR"}).status_code == 413
    assert _post(client, {"material": "KXvK"}).status_code == 400
    assert _post(client, {}).status_code == 400
    assert _post(client, []).status_code == 400
    assert _post(client, {"material": "KRvK"}, origin="http://elsewhere").status_code == 403
    assert _post(client, {"material": "KRvK"}, origin=client.address).status_code == 202
    plain = client.post("/solve", data="{}", headers={"content-type": "text/plain"})
    assert plain.status_code == 400
    broken = client.post("/solve", data="{", headers={"content-type": "application/json"})
    assert broken.status_code == 400
    for accepted in ("application/json", "text/html"):
        half = client.post(
            "/solve",
            data='{"material": "\\ud800"}',
            headers={"content-type": "application/json", "accept": accepted},
        )
        assert half.status_code == 400
    long = client.post(
        "/solve", data=b" " * (limits.BODY + 1), headers={"content-type": "application/json"}
    )
    assert long.status_code == 413
    with asking(tables, read_only=True) as still:
        assert _post(still, {"material": "KRvK"}).status_code == 403


def test_mate(client: Client) -> None:
    asked = {"fen": "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "n": 2}
    found = client.get("/mate", params=asked).json()
    assert found["verdict"] == "sound"
    assert [key["san"] for key in found["keys"]] == ["Ra6"]
    assert found["complete"]
    text = client.get("/mate", params={**asked, "format": "text"})
    assert text.text.startswith("White mates in 2: sound")
    assert text.headers["content-type"].startswith("text/plain")
    pgn = client.get("/mate", params={**asked, "format": "pgn"}).text
    assert "1. Ra6 $1" in pgn
    assert client.get("/mate", params={**asked, "keys_only": 1}).json()["shortest"] == 2


def test_a_search_that_takes_too_long_says_what_it_has(client: Client) -> None:
    fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 1"
    begin = time.monotonic()
    found = client.get("/mate", params={"fen": fen, "n": 9, "seconds": 1}).json()
    assert not found["complete"]
    assert time.monotonic() - begin < 30


def test_every_route_of_the_document_answers(client: Client) -> None:
    described = client.get("/openapi.json").json()
    assert described == document()
    assert {"/standard", "/standard/mainline", "/tables", "/mate", "/solve"} <= set(
        described["paths"]
    )
    assert client.get("/health").json()["status"] == "ok"


def test_nobody_takes_all_turns() -> None:
    """One client's long work leaves a thread to the others, and what waits is bounded."""
    desk = Desk("test", threads=2, each=3, most=4, single=True)
    gate = threading.Event()

    async def scene() -> None:
        greedy = [asyncio.create_task(desk.run("a", gate.wait)) for _ in range(3)]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await desk.run("a", gate.wait)
        assert await asyncio.wait_for(desk.run("b", lambda: "served"), 5) == "served"
        other = asyncio.create_task(desk.run("b", gate.wait))
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await desk.run("c", gate.wait)
        gate.set()
        await asyncio.gather(*greedy, other)

    asyncio.run(scene())
    desk.close()


def test_answers_are_kept(tables: Path, client: Client) -> None:
    with served(tables) as address:
        first = requests.get(f"{address}/standard", params={"fen": ROOK}, timeout=60)
        again = requests.get(f"{address}/standard", params={"fen": ROOK}, timeout=60)
    assert first.content == again.content
    assert first.headers["cache-control"] == "public, max-age=3600"


@pytest.mark.parametrize("path", ["/tables/KQvK", "/tables/kk"])
def test_census(client: Client, path: str) -> None:
    found = client.get(path).json()
    counted = sum(row["count"] for row in found["histogram"] if row["turn"] == "w")
    assert counted == found["orbits"]["w"]["legal"]
    if path.endswith("KQvK"):
        assert found["orbits"]["w"]["won"] == found["orbits"]["w"]["legal"]
        assert max(row["plies"] for row in found["histogram"]) == 20
        assert found["material"] == str(Material.parse("KQK"))


def _train(client: Client, state: Any, **action: Any) -> Any:
    answer = client.post("/train", json={"state": state, **action})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_training(client: Client, tablebase: Tablebase) -> None:
    begun = client.get("/train", params={"material": "KRvK", "mate_in": 3, "seed": 5}).json()
    assert begun["task"] == "mate in 3"
    assert set(begun["moves"][0]) == {"uci"}, "no value is given away"
    game = _train(client, begun["state"], hint=3)
    assert game["hint"].startswith("play ")
    assert game["state"]["hints"] == 1
    ranked = tablebase.moves(chess.Board(begun["fen"]))
    game = _train(client, game["state"], move=ranked[-1].san)
    assert game["grade"]["quality"] != "win"
    game = _train(client, game["state"], undo=True)
    assert game["fen"] == begun["fen"]
    while not game["over"]:
        best = tablebase.moves(chess.Board(game["fen"]))[0]
        game = _train(client, game["state"], move=best.move.uci())
    assert game["over"] == "checkmate"
    assert (game["summary"]["moves"], game["summary"]["best"]) == (3, 3)
    assert "#" in game["log"][-1]["text"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "state: missing"),
        ({"state": {"fen": ROOK, "hero": "white", "moves": ["x"] * 500}}, "more than 400"),
        ({"state": {"fen": ROOK, "hero": "white", "moves": []}}, "whole numbers"),
        (
            {"state": {"fen": ROOK, "hero": "green", "moves": [], "hints": 0, "undone": 0}},
            "cannot be read",
        ),
        (
            {"state": {"fen": ROOK, "hero": "white", "moves": [[]], "hints": 0, "undone": 0}},
            "cannot be read",
        ),
        (
            {
                "state": {"fen": ROOK, "hero": "white", "moves": [], "hints": 0, "undone": 0},
                "move": "Ra8",
            },
            "not a legal move",
        ),
    ],
)
def test_training_refuses(client: Client, body: Any, words: str) -> None:
    answer = client.post("/train", json=body)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
