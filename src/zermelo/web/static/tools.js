// What the pages share: asking the server, making a missing table, copying.

import { element } from "./board.js";

export class Refusal extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

export async function ask(address, options = {}) {
  const answer = await fetch(address, options);
  const found = await answer.json();
  if (!answer.ok) throw new Refusal(answer.status, found.error ?? "no answer");
  return found;
}

export const inAddress = (fen) => fen.replaceAll(" ", "_");

export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "copied";
  } catch {
    // Without a secure connection a page may not write to the clipboard: show what to copy.
    const box = element("textarea", { readonly: "", rows: "8", class: "grow", "aria-label": "To copy" });
    box.value = text;
    said.replaceChildren(box);
    box.select();
  }
}

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

// Has the server make a table and tells how far it is, 0 to 1, until it is there.
export async function make(material, tell) {
  let job = await ask("/solve", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ material }),
  });
  while (job.state === "waiting" || job.state === "running") {
    tell(job);
    await wait(300);
    job = await ask(`/solve/${material}`);
  }
  if (job.state === "failed") throw new Refusal(500, job.error);
}
