// SPDX-License-Identifier: MIT OR GPL-2.0
// The samples over time, above all views. Dragging selects a range.
import { ask } from "./api.js";
import { byId } from "./text.js";

export class Overview {
  constructor(selection) {
    this.selection = selection;
    this.canvas = byId("overview");
    this.steps = [];
    this.start = null;
    new ResizeObserver(() => this.#draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    this.canvas.addEventListener("pointerdown", (event) => {
      this.start = this.#step(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (this.start === null) return;
      const ends = [this.start, this.#step(event)].sort((a, b) => a - b);
      this.start = null;
      // A click selects everything.
      if (ends[0] === ends[1]) this.selection.setSteps(0, this.steps.length);
      else this.selection.setSteps(ends[0], ends[1] + 1);
    });
  }

  async show() {
    this.steps = (await ask("steps", this.selection.parameters(false))).steps;
    this.#draw();
  }

  #step(event) {
    const at = event.offsetX / this.canvas.clientWidth * this.steps.length;
    return Math.max(0, Math.min(this.steps.length - 1, Math.floor(at)));
  }

  #draw() {
    const { canvas, steps } = this;
    const width = canvas.width = canvas.clientWidth, height = canvas.height = canvas.clientHeight;
    const style = getComputedStyle(canvas), pen = canvas.getContext("2d");
    const most = steps.reduce((a, b) => Math.max(a, b), 1), wide = width / steps.length;
    const [from, to] = this.selection.steps;
    pen.fillStyle = style.getPropertyValue("--chosen");
    pen.fillRect(from * wide, 0, (to - from) * wide, height);
    pen.fillStyle = style.getPropertyValue("--bar");
    steps.forEach((sum, step) => {
      const tall = height * sum / most;
      pen.fillRect(step * wide, height - tall, Math.max(wide, .5), tall);
    });
  }
}
