"""The pages as a person uses them: a real browser, mouse and keys only, desktop and phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from selenium.webdriver.common.keys import Keys

from web_browser import SIZES, Page, browsing
from web_server import served
from zermelo.tables.tablebase import Tablebase

pytestmark = pytest.mark.browser

ROOK = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"
NEAR_MATE = "8/8/8/8/3K4/8/7R/1k6 w - - 0 1"
PAWN = "8/2P5/8/1K6/8/8/5k2/8 w - - 0 1"
PROBLEM = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
AXE = Path(__file__).parents[1] / ".ci/node_modules/axe-core/axe.min.js"


@pytest.fixture(scope="module")
def address(tables: Path, tablebase: Tablebase) -> Iterator[str]:
    for fen in (ROOK, PAWN, "8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1"):
        tablebase.moves(chess.Board(fen))
    with served(tables) as found:
        yield found


@pytest.fixture(params=SIZES, scope="module")
def window(request: pytest.FixtureRequest, address: str) -> Iterator[Page]:
    with browsing(address, request.param) as opened:
        yield opened


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """A window whose console must be empty in the end, and no request have gone elsewhere."""
    window.visit("/health")
    yield window
    assert window.faults() == []


def _fen(page: Page) -> str:
    return str(page.find("#fen").get_attribute("value"))


def test_moves_by_drag_click_and_keys(page: Page) -> None:
    page.visit("/")
    page.wait("#status", "White mates in 14")
    assert page.text(".group.win h2") == "Winning (14)"
    assert page.text(".group.draw h2") == "Drawing (3)"
    page.hover(".group.draw .move")
    assert len(page.all(".arrows .draw line")) == 1
    page.drag("e1", "d2")
    page.wait("#note", "Black to move")
    assert page.text("#status") == "White mates in 13"
    assert "fen=8/8/8/3k4/8/8/3KR3/8_b" in page.driver.current_url
    page.click_on(page.square("d5"))
    assert "loss" in str(page.square("c4").get_attribute("class"))
    page.click_on(page.square("c4"))
    page.wait("#note", "White to move")
    assert page.man("c4") == "black king"
    # By keys: from the focused square to the rook, pick it, walk up two squares, let go.
    page.keys(*[Keys.ARROW_DOWN] * 2, *[Keys.ARROW_RIGHT] * 2, Keys.ENTER)
    assert "picked" in str(page.square("e2").get_attribute("aria-label"))
    page.keys(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER)
    page.wait("#note", "Black to move")
    assert page.man("e4") == "white rook"
    page.click("#back")
    page.wait("#note", "White to move")
    assert page.man("e2") == "white rook"
    page.click("#forward")
    page.wait("#note", "Black to move")
    assert page.man("e4") == "white rook"


def test_a_perfect_line_to_mate(page: Page) -> None:
    page.visit(f"/?fen={NEAR_MATE.replace(' ', '_')}")
    first = page.wait("#status", "White mates in")
    plies = int(page.text("#note").split(" · ")[2].split()[0])
    page.click("#linebox summary")
    page.wait("#line", "#")
    assert len(page.all("#line .move")) == plies
    for left in range(plies - 1, -1, -1):
        page.click("#next")
        page.wait("#note", f"{left} plies" if left != 1 else "1 ply")
    assert page.wait("#status", "Checkmate: White has won") != first
    assert chess.Board(_fen(page)).is_checkmate()


def test_promotion_asks_for_the_man(page: Page) -> None:
    page.visit(f"/?fen={PAWN.replace(' ', '_')}")
    page.wait("#status", "White mates")
    page.drag("c7", "c8")
    page.click(".chooser [aria-label='white rook']")
    page.wait("#note", "Black to move")
    assert page.man("c8") == "white rook"


def test_setting_up_a_position(page: Page) -> None:
    page.visit("/")
    page.wait("#status", "White mates")
    page.click("#edit")
    page.drag("d5", "a8")
    page.click("#spare [aria-label='Take pieces off']")
    page.click_on(page.square("e2"))
    page.click("#spare [aria-label='white queen']")
    page.click_on(page.square("h2"))
    page.click("#done")
    page.wait("#status", "White mates in")
    assert _fen(page).startswith("k7/8/8/8/8/8/7Q/4K3 w")
    page.click("#swap")
    page.wait("#status", "Black mates in")
    assert _fen(page).startswith("4k3/7q/8/8/8/8/8/K7 b")
    page.click("#mirror")
    page.wait("#note", "Black to move")
    page.wait("#status", "Black mates in")
    assert page.man("a7") == "black queen"
    page.click("#flip")
    squares = page.all(".square")
    assert squares[0].get_attribute("data-square") == "h1"
    page.click("#edit")
    page.click_on(page.square("c3"))
    page.keys(Keys.ARROW_UP, "q")
    assert page.man("c2") == "black queen", "the board is turned: up is down the ranks"
    page.keys(Keys.DELETE)
    assert page.man("c2") == "empty"


def test_an_impossible_position_is_said_to_be_so(page: Page) -> None:
    page.visit("/")
    page.wait("#status", "White mates")
    page.replace("#fen", "Ke1 Re2 / ke8 w")
    page.keys(Keys.ENTER)
    page.wait("#buildtext", "in check")
    page.driver.get_log("browser")  # the browser itself reports the refused request


def test_a_missing_table_is_made_on_the_page(tmp_path: Path) -> None:
    with served(tmp_path) as address, browsing(address, "desktop") as page:
        page.visit("/")
        page.wait("#status", "No table yet")
        page.click("#buildbutton")
        page.wait("#status", "White mates in 14")
        page.driver.get_log("browser")  # the browser itself reports the 404
        page.visit("/material/KQvK")
        page.click("#buildbutton")
        page.wait("main", "White to move")
        page.driver.get_log("browser")


def test_material(page: Page) -> None:
    page.visit("/")
    page.wait("#status", "White mates in 14")
    page.click("#materiallink")
    page.wait("h1", "KRvK")
    assert len(page.all("rect.now")) == 1
    assert "21,959" in page.text("#sidew ~ .scroll")
    page.click("#sideb ~ p a")
    page.wait("#status", "White mates in 16")


def test_a_problem_and_its_tree(page: Page) -> None:
    page.visit("/problem")
    page.replace("#fen", PROBLEM)
    page.replace("#n", "2")
    page.keys(Keys.ENTER)
    page.wait(".verdict", "White mates in 2: sound")
    page.click_on(page.named(".tree .move", "1.Ra6!"))
    page.wait("#where", "After 1.Ra6!")
    assert page.man("a6") == "white rook"
    branch = next(twist for twist in page.all(".twist") if "bxa6" in str(twist.accessible_name))
    answer = page.find("[data-uci=b6b7]")
    assert not answer.is_displayed()
    page.click_on(branch)
    assert answer.is_displayed()
    page.click_on(answer)
    page.wait("#where", "After 1.Ra6! 1…bxa6 2.b7#")
    assert page.man("b7") == "white pawn"
    page.click("#before")
    page.wait("#where", "After 1.Ra6! 1…bxa6")
    assert page.man("b7") == "empty"
    page.click("#diagram")
    assert page.man("a1") == "white rook"
    page.click("#copies button")
    page.wait("#copied", "copied")


def test_training_an_ending_to_mate(page: Page, tablebase: Tablebase) -> None:
    board = chess.Board(NEAR_MATE)
    moves = (tablebase.value(board).plies or 0) // 2 + 1
    page.visit(f"/trainer?fen={NEAR_MATE.replace(' ', '_')}")
    page.wait("#task", f"You are White: mate in {moves}")
    page.click("#hint")
    page.wait("#said", "move the ")
    page.drag("h2", "b2")
    page.wait("#said", "throws away the win")
    page.click("#undo")
    page.wait("#said", "Your move")
    while not board.is_checkmate():
        best = tablebase.moves(board)[0]
        page.click_on(page.square(chess.square_name(best.move.from_square)))
        page.click_on(page.square(chess.square_name(best.move.to_square)))
        board.push(best.move)
        mated = board.is_checkmate()
        log = page.count("#log .move", len(board.move_stack) + (not mated))
        page.wait("#said", "best")
        if not mated:
            board.push_san(log[-1].text.rpartition("…")[2])
    page.wait("#task", "Checkmate")
    page.wait("#summary", f"{moves} moves, {moves} of them best")
    page.click("#copy")
    page.wait("#copied", "copied")
    page.visit("/trainer")
    page.wait("#task", "Checkmate")
    page.click("#again")
    page.wait("#said", "Your move")


def test_a_game(page: Page) -> None:
    page.visit("/games")
    page.click_on(page.named("main a", "pong hau ki"))
    page.wait(".status", "Drawn with best play")
    for _ in range(4):
        page.click(".choice.draw")
        page.wait(".status", "Drawn with best play")
    page.click("main .button")
    page.wait(".diagram", "x   x")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_bars_people_with_disabilities(address: str, size: str, scheme: str) -> None:
    assert AXE.exists(), "axe-core is missing: npm install --prefix .ci"
    problem = f"/problem?fen={PROBLEM.replace(' ', '_')}&n=2"
    train = f"/trainer?fen={NEAR_MATE.replace(' ', '_')}"
    with browsing(address, size, scheme) as page:
        for path in ("/", "/material", "/material/KRvK", problem, train, "/games", "/games/nim"):
            page.visit(path)
            if path == "/":
                page.wait("#status", "White mates")
                page.click("#linebox summary")
                page.wait("#line", "#")
                page.click("#edit")
            page.driver.execute_script(AXE.read_text(encoding="utf-8"))
            found = page.driver.execute_async_script("axe.run().then(arguments[0])")
            serious = [
                (fault["id"], [node["html"] for node in fault["nodes"]][:2])
                for fault in found["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            assert serious == [], (path, serious)
            wide = page.driver.execute_script(
                "return document.documentElement.scrollWidth - innerWidth"
            )
            assert wide <= 0, f"{path} is wider than the window"
