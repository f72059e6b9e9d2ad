// The trainer: the server grades and replies, this page keeps the game, so that it can go on later.

import { Board, element } from "./board.js";
import { ask, copy, make, Refusal } from "./tools.js";

const at = (id) => document.getElementById(id);
const page = at("trainer").dataset;
const KEPT = "zermelo.trainer";
const SMALL = 4;

const board = new Board(at("board"), { onMove: (move) => send({ move: move.uci }) });
let game = null;
let hints = 0;

function keep() {
  try { localStorage.setItem(KEPT, JSON.stringify(game.state)); } catch { /* a private window keeps nothing */ }
}

function kept() {
  try { return JSON.parse(localStorage.getItem(KEPT)); } catch { return null; }
}

async function begin(query) {
  at("build").hidden = true;
  try {
    show(await ask(`/train?${query}`));
    if (board.white !== (game.hero === "white")) board.flip();
  } catch (error) {
    fault(error, () => begin(query));
  }
}

async function send(body, state = game.state) {
  try {
    show(await ask("/train", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ state, ...body }),
    }));
  } catch (error) {
    fault(error, null);
  }
}

function show(found) {
  if (!game || found.state.moves.length !== game.state.moves.length) hints = 0;
  game = found;
  keep();
  const last = game.last ? [game.last.slice(0, 2), game.last.slice(2, 4)] : [];
  board.show(game.fen, { moves: game.moves, check: game.check, last });
  const side = game.hero === "white" ? "White" : "Black";
  at("task").textContent = game.over ? `${game.over[0].toUpperCase()}${game.over.slice(1)}` : `You are ${side}: ${game.task}`;
  at("said").textContent = said();
  at("said").className = `note ${game.grade ? `graded ${game.grade.quality}` : ""}`;
  at("hint").disabled = Boolean(game.over);
  at("undo").disabled = !game.log.some((turn) => turn.grade);
  at("again").disabled = at("copy").disabled = false;
  at("copied").textContent = "";
  at("log").replaceChildren(...game.log.map((turn) => element("li", {},
    element("span", { class: `move ${turn.grade?.quality ?? ""}`, text: turn.text }),
    turn.grade ? element("span", { class: "say", text: ` ${turn.grade.words}` }) : "")));
  summary();
}

function said() {
  if (game.hint) return game.hint;
  if (game.grade) return `${game.grade.san}: ${game.grade.words}`;
  return game.over ? "" : "Your move.";
}

function summary() {
  at("summary").hidden = !game.summary;
  if (!game.summary) return;
  const { succeeded, moves, best, blunders, accuracy, hints: given, undone } = game.summary;
  at("summary").replaceChildren(
    element("p", { class: "verdict", text: succeeded ? "Done!" : "Not this time." }),
    element("p", { text: `${moves} moves, ${best} of them best, ${blunders} that gave the result away. Accuracy ${accuracy} %. Hints: ${given}, taken back: ${undone}.` }),
  );
}

function fault(error, retry) {
  if (!(error instanceof Refusal)) throw error;
  at("build").hidden = false;
  at("buildtext").textContent = error.message;
  const material = /^(K\w*vK\w*):/.exec(error.message)?.[1];
  at("buildbutton").hidden = !(retry && error.status === 404 && material && material.length - 1 <= SMALL && page.readOnly === "false");
  at("progress").hidden = true;
  at("buildbutton").onclick = async () => {
    at("buildbutton").hidden = true;
    at("progress").hidden = false;
    try {
      await make(material, (job) => { at("progress").value = job.progress; });
      retry();
    } catch (failed) {
      at("progress").hidden = true;
      at("buildtext").textContent = failed.message;
    }
  };
}

at("begin").onsubmit = (event) => {
  event.preventDefault();
  const query = new URLSearchParams(new FormData(at("begin")));
  if (!query.get("mate_in")) query.delete("mate_in");
  begin(query);
};
at("hint").onclick = () => { hints += 1; send({ hint: hints }); };
at("undo").onclick = () => send({ undo: true });
at("again").onclick = () => send({}, { ...game.state, moves: [], hints: 0, undone: 0 });
at("flip").onclick = () => board.flip();
at("copy").onclick = () => copy(game.pgn, at("copied"));

board.show("8/8/8/8/8/8/8/8");
if (page.fen) begin(new URLSearchParams({ fen: page.fen }));
else if (kept()) send({}, kept());
