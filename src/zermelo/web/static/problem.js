// The page of a problem: branches open and close, and the board follows the move that is chosen.

import { Board, menOf } from "./board.js";
import { copy } from "./tools.js";

const at = (id) => document.getElementById(id);
const diagram = at("board").dataset.fen;
const board = new Board(at("board"));
const moves = [...document.querySelectorAll(".tree .move")];
let now = null;

function show(move) {
  now?.removeAttribute("aria-current");
  now = move;
  if (!move) {
    if (diagram.includes("/")) board.show(diagram);
    at("where").textContent = "The diagram";
    return;
  }
  move.setAttribute("aria-current", "true");
  for (let list = move.closest("ul"); list; list = list.parentElement.closest("ul")) open(list, true);
  const { fen, uci } = move.dataset;
  board.show(fen, { last: [uci.slice(0, 2), uci.slice(2, 4)] });
  board.arrow(uci);
  at("where").textContent = `After ${line(move)}`;
}

function line(move) {
  const names = [];
  for (let item = move.closest("li"); item; item = item.parentElement.closest("li")) {
    names.unshift(item.querySelector(":scope > .move").textContent);
  }
  return names.join(" ");
}

function open(list, on) {
  const twist = list.parentElement.querySelector(":scope > .twist");
  if (!twist) return;
  list.hidden = !on;
  twist.setAttribute("aria-expanded", String(on));
}

function step(by) {
  const shown = moves.filter((move) => !move.closest("ul[hidden]"));
  const place = now ? shown.indexOf(now) + by : by > 0 ? 0 : -1;
  show(place < 0 ? null : shown[Math.min(place, shown.length - 1)]);
}

for (const move of moves) move.onclick = () => show(move);
for (const twist of document.querySelectorAll(".twist")) {
  const list = twist.parentElement.querySelector(":scope > ul");
  twist.onclick = () => open(list, list.hidden);
  if (list.closest("ul ul ul")) open(list, false);
}
for (const button of document.querySelectorAll("#copies button")) {
  button.onclick = async () => copy(await (await fetch(button.dataset.url)).text(), at("copied"));
}
at("diagram").onclick = () => show(null);
at("before").onclick = () => step(-1);
at("after").onclick = () => step(1);
at("flip").onclick = () => { board.flip(); show(now); };
if (Object.keys(menOf(diagram)).length) show(null);
