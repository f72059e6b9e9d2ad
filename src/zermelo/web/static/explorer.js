// The explorer: a position, what every move is worth, the perfect line, and a set-up board.

import { Board, element, menOf, picture, placement, manName } from "./board.js";
import { ask, copy, inAddress, make } from "./tools.js";

const at = (id) => document.getElementById(id);
const page = at("explorer").dataset;
const GROUPS = [["win", "Winning"], ["draw", "Drawing"], ["loss", "Losing"]];
const SMALL = 4;

let position = null;
let latest = 0;

const board = new Board(at("board"), { onMove: (move) => go(move.fen, move.uci), onEdit: edited });

function fenNow() {
  return new URLSearchParams(location.search).get("fen")?.replaceAll("_", " ") || page.start;
}

function go(fen, uci = null) {
  history.pushState({ uci }, "", `/?fen=${inAddress(fen)}`);
  load();
}

async function load() {
  const mine = ++latest;
  const fen = fenNow();
  at("fen").value = fen;
  at("build").hidden = true;
  try {
    const found = await ask(`/position?fen=${encodeURIComponent(fen)}`);
    if (mine !== latest) return;
    position = found;
    at("fen").value = found.fen;
    showPosition();
    if (at("linebox").open) showLine();
  } catch (error) {
    if (mine === latest) showFault(fen, error);
  }
}

function marks() {
  const uci = history.state?.uci;
  return uci ? [uci.slice(0, 2), uci.slice(2, 4)] : [];
}

function showPosition() {
  board.show(position.fen, { moves: position.moves, check: position.check, last: marks() });
  at("status").textContent = position.headline;
  at("note").textContent = [`${position.turn === "w" ? "White" : "Black"} to move`, position.material, position.note]
    .filter(Boolean).join(" · ");
  at("moves").replaceChildren(...GROUPS.map(group).filter(Boolean));
  document.title = `${position.headline} · zermelo`;
  const query = position.plies === null ? "" : `?turn=${position.turn}&outcome=${position.outcome}&plies=${position.plies}&fen=${inAddress(position.fen)}`;
  at("materiallink").href = `/material/${position.material}${query}`;
  const moves = position.outcome === "win" ? Math.min((position.plies + 1) / 2, 200) : 2;
  at("problemlink").href = `/problem?fen=${inAddress(position.fen)}&n=${moves}`;
  at("trainerlink").href = `/trainer?fen=${inAddress(position.fen)}`;
  at("next").disabled = !position.moves.length;
}

function group([outcome, name]) {
  const moves = position.moves.filter((move) => move.outcome === outcome);
  if (!moves.length) return null;
  const rows = new Map();
  for (const move of moves) {
    if (!rows.has(move.words)) rows.set(move.words, []);
    rows.get(move.words).push(move);
  }
  const box = element("section", { class: `group ${outcome}` }, element("h2", { text: `${name} (${moves.length})` }));
  for (const [words, same] of rows) {
    const names = element("span", {}, ...same.map(moveButton));
    box.append(element("div", { class: "row" }, names, element("span", { class: "distance", text: outcome === "draw" ? "" : words })));
  }
  return box;
}

function moveButton(move) {
  const show = () => board.arrow(move.uci, move.outcome);
  const hide = () => board.arrow(null);
  return element("button", {
    type: "button", class: "move", text: move.san, "aria-label": `${move.san}, ${move.words}`,
    onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide,
    onclick: () => go(move.fen, move.uci),
  });
}

function showFault(fen, error) {
  position = null;
  try { board.show(fen); } catch { board.show("8/8/8/8/8/8/8/8"); }
  at("status").textContent = error.status === 404 ? "No table yet" : "No answer";
  at("note").textContent = "";
  at("moves").replaceChildren();
  at("line").replaceChildren();
  at("next").disabled = true;
  at("build").hidden = false;
  at("buildtext").textContent = error.message;
  const material = /^(K\w*vK\w*):/.exec(error.message)?.[1];
  const small = material && material.length - 1 <= SMALL;
  at("buildbutton").hidden = !(error.status === 404 && small && page.readOnly === "false");
  at("buildbutton").onclick = () => build(material);
  at("progress").hidden = true;
}

async function build(material) {
  at("buildbutton").hidden = true;
  at("progress").hidden = false;
  try {
    await make(material, (job) => {
      at("progress").value = job.progress;
      at("buildtext").textContent = `Making ${material}${job.now && job.now !== material ? ` (${job.now} first)` : ""} …`;
    });
    load();
  } catch (error) {
    at("progress").hidden = true;
    at("buildtext").textContent = error.message;
  }
}

async function showLine() {
  if (!position) return;
  const mine = latest;
  const found = await ask(`/line?fen=${encodeURIComponent(position.fen)}`);
  if (mine !== latest) return;
  at("copy").onclick = () => copy(found.pgn, at("copied"));
  at("copied").textContent = "";
  if (!found.moves.length) {
    at("line").textContent = position.outcome === "draw" ? "The position is drawn: there is no line to mate." : "The game is over.";
    return;
  }
  at("line").replaceChildren(...found.moves.map((step) => element("button", {
    type: "button", class: "move", text: step.text, onclick: () => go(step.fen, step.uci),
  })));
}

// --- set-up

function edited(men) {
  const turn = document.querySelector("input[name=turn]:checked").value;
  at("fen").value = `${placement(men)} ${turn} - - 0 1`;
}

function setUp(on) {
  at("editor").hidden = !on;
  at("edit").setAttribute("aria-expanded", String(on));
  if (on) {
    document.querySelector(`input[name=turn][value=${fenNow().split(" ")[1] === "b" ? "b" : "w"}]`).checked = true;
    chooseTool(null);
  }
  board.edit(on);
}

function chooseTool(button) {
  for (const other of at("spare").children) other.setAttribute("aria-checked", String(other === (button ?? at("spare").firstChild)));
  board.tool = button?.dataset.man ?? null;
  if (board.tool === "") board.tool = null;
}

function spare() {
  const tools = [["", "☞", "Move pieces"], ..."KQRBNP".split("").map((man) => [man]),
    ["x", "✕", "Take pieces off"], ..."kqrbnp".split("").map((man) => [man])];
  for (const [man, sign, name] of tools) {
    const button = element("button", {
      type: "button", role: "radio", "data-man": man, "aria-checked": "false",
      "aria-label": name ?? manName(man), title: name ?? manName(man), text: sign ?? "",
      onclick: () => chooseTool(button),
    });
    if (!sign) {
      button.append(picture(man));
      button.addEventListener("pointerdown", (event) => board.drag(event, man, {
        begin: () => {}, drop: (to) => to && board.put(to, man), tap: () => {},
      }));
    }
    at("spare").append(button);
  }
}

// --- buttons

function transformed(change) {
  const [, turn, , ...rest] = fenNow().split(" ");
  const men = {};
  for (const [square, man] of Object.entries(menOf(fenNow()))) {
    const [to, other] = change(square, man);
    men[to] = other;
  }
  return { men, turn: turn ?? "w", clocks: rest.slice(1).join(" ") || "0 1" };
}

at("back").onclick = () => history.back();
at("forward").onclick = () => history.forward();
at("flip").onclick = () => board.flip();
at("mirror").onclick = () => {
  const { men, turn, clocks } = transformed((square, man) => ["hgfedcba"["abcdefgh".indexOf(square[0])] + square[1], man]);
  go(`${placement(men)} ${turn} - - ${clocks}`);
};
at("swap").onclick = () => {
  const swap = (man) => (man === man.toUpperCase() ? man.toLowerCase() : man.toUpperCase());
  const { men, turn, clocks } = transformed((square, man) => [square[0] + (9 - square[1]), swap(man)]);
  go(`${placement(men)} ${turn === "w" ? "b" : "w"} - - ${clocks}`);
};
at("edit").onclick = () => setUp(at("editor").hidden);
at("clear").onclick = () => { board.men = {}; board.draw(); edited(board.men); };
at("done").onclick = () => { edited(board.men); setUp(false); go(at("fen").value); };
for (const turn of document.querySelectorAll("input[name=turn]")) turn.onchange = () => edited(board.men);
at("fenform").onsubmit = (event) => {
  event.preventDefault();
  setUp(false);
  go(at("fen").value.trim());
};
at("next").onclick = () => go(position.moves[0].fen, position.moves[0].uci);
at("linebox").ontoggle = () => { if (at("linebox").open) showLine(); };
window.onpopstate = () => { setUp(false); load(); };

spare();
load();
