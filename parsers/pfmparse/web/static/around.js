// SPDX-License-Identifier: MIT OR GPL-2.0
// The view with the callers of a function above it, and its callees below it.
import { ask } from "./api.js";
import { Boxes, said } from "./boxes.js";
import { amount, byId, percent, printable } from "./text.js";

const SIDES = { callers: true, callees: false }; // true: the graph grows upwards

export class AroundView {
  constructor(page) {
    this.page = page;
    this.boxes = {};
    for (const [side, upwards] of Object.entries(SIDES))
      this.boxes[side] = new Boxes(byId(side), {
        open: (box) => page.openFunction("around", box.function),
        tell: (box) => { byId("around-details").textContent = said(box); },
        upwards: () => upwards,
      });
  }

  async ask() {
    const chosen = await this.page.chosenFunction();
    if (chosen === null) return null;
    return ask("around", { ...this.page.selection.parameters(), function: chosen });
  }

  draw(graphs) {
    byId("around-title").textContent = graphs ? printable(graphs.callers.labels[0].name) :
      "No function is selected";
    if (!graphs) return;
    const { unit } = this.page.session, { total } = graphs.callees;
    for (const side of Object.keys(SIDES)) this.boxes[side].draw(graphs[side], unit);
    byId("around-share").textContent = `${amount(total, unit)} with callees, ` +
      `${percent(total, graphs.selected)} of the selection`;
    byId("around-details").textContent = "";
  }
}
