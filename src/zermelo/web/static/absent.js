// The page of a material without a table: makes it and shows how far it is.

import { make } from "./tools.js";

const at = (id) => document.getElementById(id);
const material = at("absent").dataset.material;

if (at("buildbutton")) {
  at("buildbutton").onclick = async () => {
    at("buildbutton").hidden = true;
    at("progress").hidden = false;
    try {
      await make(material, (job) => {
        at("progress").value = job.progress;
        at("buildtext").textContent = `Making ${job.now || material} …`;
      });
      location.reload();
    } catch (error) {
      at("progress").hidden = true;
      at("buildtext").textContent = error.message;
    }
  };
}
