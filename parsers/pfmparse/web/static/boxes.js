// SPDX-License-Identifier: MIT OR GPL-2.0
// Draws the boxes of a flame graph, which can be used with the keyboard.
import { amount, modified, percent, printable } from "./text.js";

const ROW = 18;

export class Boxes {
  // open(box) is called for a box that is chosen, tell(box) for one with the focus or
  // the pointer.
  constructor(element, { open, tell, upwards = () => true }) {
    Object.assign(this, { element, open, tell, upwards });
    this.boxes = [];
    this.focused = 0;
    for (const type of ["mouseover", "focusin"])
      element.addEventListener(type, (event) => this.#about(event, (at) => {
        // Set no title on focus: screen readers would read it after the label, which is
        // the same text.
        if (type === "focusin") this.focused = at;
        else event.target.title = said(this.boxes[at]);
        tell(this.boxes[at]);
      }));
    element.addEventListener("click", (event) =>
      this.#about(event, (at) => open(this.boxes[at])));
    element.addEventListener("keydown", (event) =>
      this.#about(event, (at) => this.#press(event, at)));
  }

  draw(graph, unit, zoomed = 0) {
    const hadFocus = this.element.contains(document.activeElement);
    this.boxes = graph.boxes.map(([id, depth, x, width, label, total]) =>
      ({ id, depth, x, width, total, all: graph.total, unit, ...graph.labels[label] }));
    const root = this.boxes.find((box) => box.id === zoomed) ?? this.boxes[0];
    this.focused = this.boxes.indexOf(root);
    const deepest = this.boxes.reduce((most, box) => Math.max(most, box.depth), 0);
    this.element.style.height = (deepest + 1) * ROW + "px";
    this.element.replaceChildren(...this.boxes.map((box, at) =>
      this.#place(box, at, box.depth < root.depth)));
    if (hadFocus) this.#focus(this.focused);
  }

  #place(box, at, below) {
    const found = document.createElement("div");
    found.style[this.upwards() ? "bottom" : "top"] = box.depth * ROW + "px";
    found.style.left = 100 * box.x + "%";
    found.style.width = 100 * box.width + "%";
    found.style.background = box.colour;
    found.textContent = printable(box.name);
    found.setAttribute("role", "treeitem");
    found.setAttribute("aria-level", box.depth + 1);
    found.setAttribute("aria-label", said(box));
    found.tabIndex = at === this.focused ? 0 : -1;
    found.dataset.at = at;
    found.classList.toggle("below", below);
    found.classList.toggle("hit", box.hit);
    return found;
  }

  #about(event, use) {
    const found = event.target.closest("[data-at]");
    if (found) use(+found.dataset.at);
  }

  #press(event, at) {
    if (modified(event)) return;
    if (event.key === "Enter" || event.key === " ") this.open(this.boxes[at]);
    else if (event.key.startsWith("Arrow") || event.key === "Home")
      this.#focus(this.#next(at, event.key));
    else return;
    event.preventDefault();
  }

  #focus(at) {
    if (at < 0) return;
    const all = this.element.children;
    all[this.focused].tabIndex = -1;
    all[at].tabIndex = 0;
    all[at].focus();
  }

  // Returns the index of the box that a key leads to, or -1.
  #next(at, key) {
    const { boxes } = this, box = boxes[at];
    if (key === "Home") return 0;
    if (key === (this.upwards() ? "ArrowUp" : "ArrowDown")) {
      const children = boxes.filter((other) => above(other, box));
      return boxes.indexOf(children.reduce((a, b) => (b.width > a.width ? b : a), children[0]));
    }
    if (key === "ArrowUp" || key === "ArrowDown")
      return boxes.findIndex((other) => above(box, other));
    const row = boxes.filter((other) => other.depth === box.depth);
    row.sort((a, b) => a.x - b.x);
    return boxes.indexOf(row[row.indexOf(box) + (key === "ArrowRight" ? 1 : -1)]);
  }
}

// Returns whether a box is directly above another one.
function above(box, below) {
  const middle = box.x + box.width / 2;
  return box.depth === below.depth + 1 && middle > below.x && middle < below.x + below.width;
}

export function said(box) {
  const place = box.object && box.object !== box.name ? ` (${box.object})` : "";
  const inlined = box.inlined ? ", inlined" : "";
  const share = percent(box.total, box.all);
  return `${printable(box.name + place)}${inlined}: ${amount(box.total, box.unit)}, ${share}`;
}
