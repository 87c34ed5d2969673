// SPDX-License-Identifier: MIT OR GPL-2.0
// The view with the flame graph of all functions.
import { ask } from "./api.js";
import { Boxes, said } from "./boxes.js";
import { amount, byId, modified, percent } from "./text.js";

export class FlameView {
  constructor(page) {
    this.page = page;
    this.root = 0;
    this.boxes = new Boxes(byId("flames"), {
      open: (box) => this.zoom(box.id),
      tell: (box) => { byId("flame-details").textContent = said(box); },
      upwards: () => !byId("icicle").checked,
    });
    byId("zoom-out").addEventListener("click", () => this.zoom(0));
    byId("icicle").addEventListener("change", () => page.show());
    for (const view of ["around", "code"])
      byId(`open-${view}`).addEventListener("click", () => this.#open(view));
    byId("flame").addEventListener("keydown", (event) => {
      if (modified(event)) return;
      if (event.key === "Escape") this.zoom(0);
      if (event.key === "s") this.#open("around");
      if (event.key === "c") this.#open("code");
    });
  }

  zoom(root) {
    this.root = root;
    this.page.show();
  }

  // Shows another view of the function that has or had the focus.
  #open(view) {
    const box = this.boxes.boxes[this.boxes.focused];
    this.page.openFunction(view, box.depth ? box.function : null);
  }

  ask() {
    return ask("flame", { ...this.page.selection.parameters(), root: this.root });
  }

  draw(graph) {
    const { unit } = this.page.session, left = graph.left_out;
    this.boxes.draw(graph, unit, this.root);
    byId("found").textContent = graph.found === null ? "" :
      `Found in ${amount(graph.found, unit)}, ${percent(graph.found, graph.total)}`;
    byId("left-out").textContent = left ?
      `Left out: ${amount(left, "frames")} narrower than 0.1% of the graph. ` +
      "Zoom in to see more." : "";
  }
}
