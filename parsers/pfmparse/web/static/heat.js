// SPDX-License-Identifier: MIT OR GPL-2.0
// The view with a heat map: a row for each thread, function or other value over time.
import { ask } from "./api.js";
import { byId, element, long, number, redraw, time } from "./text.js";

export class HeatView {
  constructor(page) {
    this.page = page;
    this.rows = [];
    for (const key of Object.keys(page.session.choices).concat("function"))
      byId("heat-by").append(new Option(key));
    byId("heat-by").value = "thread";
    byId("heat-by").addEventListener("change", () => page.show());
    new ResizeObserver(() => this.#paint()).observe(byId("heat"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#paint());
  }

  ask() {
    const by = byId("heat-by").value;
    return ask("heat", { ...this.page.selection.parameters(false), by });
  }

  draw({ rows, others }) {
    this.rows = rows;
    const { unit } = this.page.session;
    redraw(byId("heat-rows").tBodies[0], rows.map((row) => this.#row(row)));
    byId("heat-rows").caption.textContent = `The most intense colour is ` +
      `${number(this.#most())} ${unit} in ${time(this.page.session.step_ns)}.` +
      (others ? ` ${number(others)} others are left out.` : "");
    this.#paint();
  }

  #row(row) {
    const line = element("tr"), name = element("th"), strip = element("td", "", "strip");
    name.scope = "row";
    const text = [row.name, row.detail].filter((part) => part).join(" ");
    name.append(long(text, row.function === null ?
      () => this.page.selection.set(row.select) :
      () => this.page.openFunction("around", row.function)));
    const canvas = element("canvas"), { steps } = row;
    const peak = steps.indexOf(Math.max(...steps));
    canvas.setAttribute("role", "img");
    canvas.title = `${number(row.own)} ${this.page.session.unit}` +
      (steps.length ? `, most at ${time(peak * this.page.session.step_ns)}` : "");
    strip.append(canvas);
    line.append(name, element("td", number(row.own), "number"), strip);
    return line;
  }

  #most() {
    return this.rows.reduce((most, row) => Math.max(most, ...row.steps), 0);
  }

  // Colours the steps of the selected time.
  #paint() {
    const [from, to] = this.page.selection.steps, most = this.#most() || 1;
    byId("heat-rows").querySelectorAll("canvas").forEach((canvas, at) => {
      const width = canvas.width = canvas.clientWidth || 1, height = canvas.height = 16;
      const pen = canvas.getContext("2d"), wide = width / (to - from);
      pen.fillStyle = getComputedStyle(canvas).getPropertyValue("--bar");
      for (let step = from; step < to; step++) {
        const sum = this.rows[at].steps[step];
        if (!sum) continue;
        pen.globalAlpha = .15 + .85 * sum / most;
        pen.fillRect((step - from) * wide, 0, Math.max(wide, 1), height);
      }
    });
  }
}
