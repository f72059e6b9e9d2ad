// A chessboard: drawn from a FEN, moved on by drag, click or keys, edited with spare pieces.
// Every square is a button in a grid, so that a screen reader names it and arrow keys walk it.

const NAMES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const FILES = "abcdefgh";
const SVG = "http://www.w3.org/2000/svg";

export function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function picture(man) {
  const name = (man === man.toUpperCase() ? "w" : "b") + man.toUpperCase();
  return element("img", { src: `/men/${name}.svg`, alt: "", draggable: "false" });
}

export function manName(man) {
  return `${man === man.toUpperCase() ? "white" : "black"} ${NAMES[man.toUpperCase()]}`;
}

export function menOf(fen) {
  const men = {};
  fen.trim().split(/[\s_]+/)[0].split("/").forEach((row, down) => {
    let file = 0;
    for (const sign of row) {
      if (/\d/.test(sign)) file += Number(sign);
      else men[FILES[file++] + (8 - down)] = sign;
    }
  });
  return men;
}

export function placement(men) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank--) {
    let row = "", empty = 0;
    for (const file of FILES) {
      const man = men[file + rank];
      if (!man) { empty++; continue; }
      row += (empty || "") + man;
      empty = 0;
    }
    rows.push(row + (empty || ""));
  }
  return rows.join("/");
}

// onMove(move) hears of a legal move that was made; onEdit(men) of every change while editing.
export class Board {
  constructor(place, { onMove = () => {}, onEdit = () => {} } = {}) {
    this.onMove = onMove;
    this.onEdit = onEdit;
    this.men = {};
    this.moves = [];
    this.editing = false;
    this.tool = null;
    this.picked = null;
    this.white = true;
    this.root = place;
    place.className = "board";
    place.setAttribute("role", "grid");
    place.setAttribute("aria-label", "Chessboard; arrow keys walk, Enter picks and moves");
    this.build();
    place.addEventListener("pointerdown", (event) => this.press(event));
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("click", (event) => {
      // Pointers are handled when they go down and up; a click without one is the keyboard's.
      if (event.detail === 0 && event.target.dataset.square) this.touch(event.target.dataset.square);
    });
  }

  build() {
    this.squares = {};
    this.root.replaceChildren();
    for (let down = 0; down < 8; down++) {
      const row = element("div", { role: "row" });
      for (let along = 0; along < 8; along++) {
        const file = this.white ? along : 7 - along;
        const rank = this.white ? 8 - down : down + 1;
        const name = FILES[file] + rank;
        const dark = (file + rank) % 2 === 1;
        const square = element("button", {
          type: "button", role: "gridcell", tabindex: "-1",
          class: `square${dark ? " dark" : ""}`, "data-square": name,
        });
        if (down === 7) square.append(element("span", { class: "coord file", text: FILES[file], "aria-hidden": "true" }));
        if (along === 0) square.append(element("span", { class: "coord rank", text: rank, "aria-hidden": "true" }));
        this.squares[name] = square;
        row.append(square);
      }
      this.root.append(row);
    }
    this.arrows = document.createElementNS(SVG, "svg");
    this.arrows.setAttribute("viewBox", "0 0 8 8");
    this.arrows.setAttribute("class", "arrows");
    this.arrows.setAttribute("aria-hidden", "true");
    this.root.append(this.arrows);
    this.squares[this.focused ?? "e1"].tabIndex = 0;
  }

  // fen: what stands where. moves: legal ones, {uci, outcome}. check, last: squares to mark.
  show(fen, { moves = [], check = null, last = [] } = {}) {
    this.men = menOf(fen);
    this.moves = moves;
    this.check = check;
    this.last = last;
    this.picked = null;
    this.draw();
  }

  flip() {
    this.white = !this.white;
    this.build();
    this.draw();
  }

  draw() {
    this.root.querySelector(".chooser")?.remove();
    this.arrows.replaceChildren();
    const targets = new Map();
    const order = ["loss", "draw", "win"];
    for (const move of this.moves) {
      if (move.uci.slice(0, 2) !== this.picked) continue;
      const to = move.uci.slice(2, 4);
      const known = targets.get(to);
      if (!known || order.indexOf(move.outcome) > order.indexOf(known.outcome)) targets.set(to, move);
    }
    const movable = new Set(this.moves.map((move) => move.uci.slice(0, 2)));
    for (const [name, square] of Object.entries(this.squares)) {
      const man = this.men[name];
      const target = targets.get(name);
      square.querySelectorAll("img, .mark").forEach((old) => old.remove());
      if (man) square.append(picture(man));
      if (target) square.append(element("span", { class: "mark" }));
      square.classList.toggle("movable", this.editing ? Boolean(man) : movable.has(name));
      square.classList.toggle("check", name === this.check && !this.editing);
      square.classList.toggle("picked", name === this.picked);
      square.classList.toggle("last", this.last?.includes(name) ?? false);
      square.classList.toggle("taken", Boolean(target && man));
      for (const outcome of order) square.classList.toggle(outcome, target?.outcome === outcome);
      const said = [name, man ? manName(man) : "empty"];
      if (name === this.picked) said.push("picked");
      if (target) said.push(target.words ? `move here: ${target.words}` : "move here");
      square.setAttribute("aria-label", said.join(", "));
    }
  }

  arrow(uci, outcome = "") {
    this.arrows.replaceChildren();
    if (!uci) return;
    const [x1, y1, x2, y2] = [...this.centre(uci.slice(0, 2)), ...this.centre(uci.slice(2, 4))];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", outcome);
    const line = document.createElementNS(SVG, "line");
    const ends = { x1, y1, x2: x2 - dx * 0.42, y2: y2 - dy * 0.42 };
    for (const [name, value] of Object.entries(ends)) line.setAttribute(name, value);
    const head = document.createElementNS(SVG, "polygon");
    const points = [[x2, y2], [x2 - dx * 0.45 - dy * 0.22, y2 - dy * 0.45 + dx * 0.22],
      [x2 - dx * 0.45 + dy * 0.22, y2 - dy * 0.45 - dx * 0.22]];
    head.setAttribute("points", points.map((point) => point.join(",")).join(" "));
    group.append(line, head);
    this.arrows.append(group);
  }

  centre(square) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1])];
    return this.white ? [file + 0.5, 8.5 - rank] : [7.5 - file, rank - 0.5];
  }

  // --- editing

  edit(on) {
    this.editing = on;
    this.picked = null;
    this.draw();
  }

  put(square, man) {
    if (man) this.men[square] = man;
    else delete this.men[square];
    this.last = [];
    this.draw();
    this.onEdit(this.men);
  }

  // --- hands

  touch(name) {
    if (this.editing) { this.touchEditing(name); return; }
    const from = this.picked;
    if (from && from !== name && this.attempt(from, name)) return;
    const own = this.moves.some((move) => move.uci.startsWith(name));
    this.picked = own && from !== name ? name : null;
    this.draw();
  }

  touchEditing(name) {
    if (this.tool !== null) {
      this.put(name, this.tool === "x" || this.men[name] === this.tool ? null : this.tool);
    } else if (this.picked) {
      this.carry(this.picked, name);
    } else if (this.men[name]) {
      this.picked = name;
      this.draw();
    }
  }

  carry(from, to) {
    const man = this.men[from];
    this.picked = null;
    if (to !== from) {
      delete this.men[from];
      if (to) this.men[to] = man;
    }
    this.last = [];
    this.draw();
    this.onEdit(this.men);
  }

  attempt(from, to) {
    const found = this.moves.filter((move) => move.uci.slice(0, 4) === from + to);
    if (!found.length) return false;
    this.picked = null;
    if (found.length === 1) this.onMove(found[0]);
    else this.choose(found);
    return true;
  }

  choose(moves) {
    const small = (move) => (this.men[move.uci.slice(0, 2)] === "P" ? move.uci[4].toUpperCase() : move.uci[4]);
    const close = () => { this.draw(); this.focus(moves[0].uci.slice(0, 2)); };
    const box = element("div", { class: "chooser", role: "dialog", "aria-label": "Promote to", "aria-modal": "true" });
    for (const move of [...moves].sort((a, b) => "qrbn".indexOf(a.uci[4]) - "qrbn".indexOf(b.uci[4]))) {
      box.append(element("button", {
        type: "button", "aria-label": manName(small(move)), class: move.outcome ?? "",
        onclick: (event) => { event.stopPropagation(); box.remove(); this.onMove(move); },
      }, picture(small(move))));
    }
    box.addEventListener("pointerdown", (event) => { event.stopPropagation(); if (event.target === box) close(); });
    box.addEventListener("keydown", (event) => { event.stopPropagation(); if (event.key === "Escape") close(); });
    this.root.append(box);
    box.querySelector("button").focus();
  }

  under(event) {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".square")?.dataset.square ?? null;
  }

  press(event) {
    const from = event.target.closest?.(".square")?.dataset.square;
    if (!from || event.button > 0) return;
    event.preventDefault();
    this.focus(from);
    const man = this.men[from];
    const may = man && (this.editing ? this.tool === null : this.moves.some((move) => move.uci.startsWith(from)));
    this.drag(event, may ? man : null, {
      begin: () => { this.picked = from; this.draw(); this.squares[from].querySelector("img")?.remove(); },
      drop: (to) => {
        if (this.editing) this.carry(from, to);
        else if (!to || to === from || !this.attempt(from, to)) { this.picked = null; this.draw(); }
      },
      tap: () => this.touch(from),
    });
  }

  // Follows a pointer until it is let go; without a man to carry it can only be a tap.
  drag(event, man, { begin, drop, tap }) {
    const [x, y] = [event.clientX, event.clientY];
    let ghost = null;
    const move = (moved) => {
      if (!ghost && man && Math.hypot(moved.clientX - x, moved.clientY - y) > 6) {
        begin();
        ghost = picture(man);
        ghost.className = "ghost";
        document.body.append(ghost);
      }
      if (ghost) { ghost.style.left = `${moved.clientX}px`; ghost.style.top = `${moved.clientY}px`; }
    };
    const stop = (up) => {
      for (const [name, heard] of heards) window.removeEventListener(name, heard);
      ghost?.remove();
      if (up.type === "pointercancel") { this.picked = null; this.draw(); }
      else if (ghost) drop(this.under(up));
      else tap();
    };
    const heards = [["pointermove", move], ["pointerup", stop], ["pointercancel", stop]];
    for (const [name, heard] of heards) window.addEventListener(name, heard);
  }

  // --- keys

  focus(name) {
    for (const square of Object.values(this.squares)) square.tabIndex = -1;
    this.focused = name;
    this.squares[name].tabIndex = 0;
    this.squares[name].focus({ preventScroll: true });
  }

  key(event) {
    const name = event.target.dataset?.square;
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) {
      const sign = this.white ? 1 : -1;
      const file = FILES.indexOf(name[0]) + sign * step[0];
      const rank = Number(name[1]) + sign * step[1];
      if (file >= 0 && file < 8 && rank >= 1 && rank <= 8) this.focus(FILES[file] + rank);
    } else if (event.key === "Escape") {
      this.picked = null;
      this.draw();
    } else if (this.editing && /^[KQRBNPkqrbnp]$/.test(event.key)) {
      this.put(name, event.key);
    } else if (this.editing && (event.key === "Delete" || event.key === "Backspace")) {
      this.put(name, null);
    } else {
      return;
    }
    event.preventDefault();
  }
}
