// SPDX-License-Identifier: MIT OR GPL-2.0
// The view with a heat map: a row for each thread, function or other value over time.
import { ask } from "./api.js";
import { amount, byId, element, long, number, redraw, time } from "./text.js";

const SECOND = 1e9, FOLDED = "part of a second";
const PARTS = 50; // maximum number of parts of a second

export class HeatView {
  constructor(page) {
    this.page = page;
    this.rows = [];
    this.range = [0, 1];
    for (const key of Object.keys(page.session.choices).concat("function"))
      byId("heat-by").append(new Option(key));
    const { steps, step_ns } = page.session;
    if (step_ns < SECOND && steps * step_ns > 2 * SECOND)
      byId("heat-by").append(new Option(FOLDED));
    byId("heat-by").value = "thread";
    byId("heat-by").addEventListener("change", () => page.show());
    new ResizeObserver(() => this.#paint()).observe(byId("heat"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#paint());
  }

  async ask() {
    const by = byId("heat-by").value, { selection, session } = this.page;
    const parameters = selection.parameters(false);
    if (by === FOLDED)
      return fold((await ask("steps", parameters)).steps, session.step_ns, selection.steps);
    const answer = await ask("heat", { ...parameters, by });
    return { ...answer, length: session.step_ns, range: selection.steps };
  }

  // Draws rows of steps. `length` is the duration of a step, and the steps in `range` are
  // selected. In rows that show only a part of each step, `part` is the part's duration.
  draw({ rows, others, length, range, part = length }) {
    Object.assign(this, { rows, length, range });
    const { unit } = this.page.session;
    redraw(byId("heat-rows").tBodies[0], rows.map((row) => this.#row(row)));
    byId("heat-rows").caption.textContent = `The most intense colour is ` +
      `${amount(this.#most(), unit)} in ${time(part)}.` +
      (others ? ` Left out: ${amount(others, "others")}.` : "");
    this.#paint();
  }

  #row(row) {
    const line = element("tr"), name = element("th"), strip = element("td", "", "strip");
    name.scope = "row";
    const text = [row.name, row.detail].filter((part) => part).join(" ");
    name.append(long(text, this.page.action(row)));
    const canvas = element("canvas"), { steps } = row;
    const peak = steps.indexOf(Math.max(...steps));
    canvas.setAttribute("role", "img");
    canvas.title = amount(row.own, this.page.session.unit) +
      (steps.length ? `, most at ${time(peak * this.length)}` : "");
    strip.append(canvas);
    line.append(name, element("td", number(row.own), "number"), strip);
    return line;
  }

  #most() {
    return this.rows.reduce((most, row) => Math.max(most, ...row.steps), 0);
  }

  // Colours the steps of the selected time.
  #paint() {
    const [from, to] = this.range, most = this.#most() || 1;
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

// A row for each part of a second, with the samples of that part in each second.
function fold(sums, step, [from, to]) {
  const inSecond = SECOND / step, inPart = Math.ceil(inSecond / PARTS);
  const rows = Array.from({ length: Math.ceil(inSecond / inPart) }, (_, part) => ({
    name: `${time(part * inPart * step)} into each second`, detail: "", own: 0,
    steps: Array(Math.ceil(sums.length / inSecond)).fill(0), select: {}, function: null,
  }));
  for (let at = from; at < to; at++) {
    const row = rows[Math.floor(at % inSecond / inPart)];
    row.own += sums[at];
    row.steps[Math.floor(at / inSecond)] += sums[at];
  }
  const range = [Math.floor(from / inSecond), Math.ceil(to / inSecond)];
  return { rows, others: 0, length: SECOND, range, part: inPart * step };
}
