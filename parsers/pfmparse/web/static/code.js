// SPDX-License-Identifier: MIT OR GPL-2.0
// The view with the source and the instructions of a function.
import { ask } from "./api.js";
import { byId, element, number, percent, printable } from "./text.js";

export class CodeView {
  constructor(page) {
    this.page = page;
  }

  async ask() {
    const chosen = await this.page.chosenFunction();
    if (chosen === null) return null;
    return ask("code", { ...this.page.selection.parameters(false), function: chosen });
  }

  draw(code) {
    byId("code-title").textContent = code ? printable(`${code.name} (${code.object})`) :
      "No function is selected";
    if (!code) return;
    byId("lacks").replaceChildren(...code.lacks.map((text) => element("li", text)));
    const lines = code.lines.map((one) =>
      [one.weights, one.line, one.text ?? "", `${one.file}:${one.line}`]);
    const instructions = code.instructions.map((one) =>
      [one.weights, one.address, one.text, one.line]);
    this.#fill("source", code, lines);
    this.#fill("assembly", code, instructions);
  }

  #fill(id, code, rows) {
    const table = byId(id);
    table.hidden = !rows.length;
    table.tHead.rows[0].replaceChildren(
      ...code.events.map((name) => head(name, "number")),
      head(id === "source" ? "Line" : "Address", "number"), head("Text", ""));
    table.tBodies[0].replaceChildren(...rows.map(([weights, at, text, place]) => {
      const line = element("tr");
      line.append(...weights.map((weight, event) => cell(weight, code.totals[event])),
        element("td", at, "number"), element("td", text, "text"));
      line.title = printable(place);
      line.classList.toggle("hot", weights.some((weight) => weight));
      return line;
    }));
  }
}

function head(text, classes) {
  const found = element("th", text, classes);
  found.scope = "col";
  return found;
}

// A share of the function's samples; empty for 0, so that other shares stand out.
function cell(weight, total) {
  const found = element("td", weight ? percent(weight, total) : "", "number");
  if (weight) found.title = number(weight);
  return found;
}
