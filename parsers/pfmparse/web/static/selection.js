// SPDX-License-Identifier: MIT OR GPL-2.0
// The selection that all views share: process, thread, event, time, and the search.
// It is kept in the URL, so that a reloaded page shows the same.
import { byId, number, printable, time } from "./text.js";

const MENUS = { pid: "process", tid: "thread", event: "event" };
const NAMES = [...Object.keys(MENUS), "from", "to", "find"];

export class Selection extends EventTarget {
  constructor(session) {
    super();
    this.session = session;
    this.values = Object.fromEntries(NAMES.map((name) => [name, ""]));
    for (const [id, by] of Object.entries(MENUS)) this.#fill(id, by);
    this.#restore();
    this.#listen();
    this.#show();
  }

  // Returns the parameters of a request, with the search only if `find` is set.
  parameters(find = true) {
    const { find: pattern, ...others } = this.values;
    const generation = this.session.generation;
    return { generation, ...others, ...(find ? { find: pattern } : {}) };
  }

  set(values) {
    Object.assign(this.values, values);
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  get steps() {
    const { from, to } = this.values;
    return from === "" ? [0, this.session.steps] : [+from, +to];
  }

  // Selects steps of time. A range of all steps is stored as no range.
  setSteps(from, to) {
    const all = from <= 0 && to >= this.session.steps;
    this.set(all ? { from: "", to: "" } : { from, to });
  }

  #fill(id, by) {
    const { rows, others } = this.session.choices[by];
    const menu = byId(id);
    menu.append(new Option(`all (${number(rows.length + others.count)})`, ""));
    for (const row of rows) {
      if (!(id in row.select)) continue;
      const text = [row.name, row.detail].filter((part) => part).join(" ");
      menu.append(new Option(printable(text).slice(0, 100), row.select[id]));
    }
  }

  #restore() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const id of Object.keys(MENUS)) {
      const there = Array.from(byId(id).options, (option) => option.value);
      if (there.includes(given.get(id) ?? "")) this.values[id] = given.get(id) ?? "";
    }
    const from = +given.get("from"), to = +given.get("to");
    if (from >= 0 && from < to && to <= this.session.steps)
      Object.assign(this.values, { from, to });
    this.values.find = given.get("find") ?? "";
    // Begin with one event, because the units of events may differ.
    const { rows } = this.session.choices.event;
    if (!location.hash && rows.length > 1) this.values.event = rows[0].name;
  }

  #listen() {
    for (const id of Object.keys(MENUS))
      byId(id).addEventListener("change", () => this.set({ [id]: byId(id).value }));
    byId("find").addEventListener("input", () => this.set({ find: byId("find").value }));
    byId("from").addEventListener("input", () =>
      this.setSteps(+byId("from").value, Math.max(this.steps[1], +byId("from").value + 1)));
    byId("to").addEventListener("input", () =>
      this.setSteps(Math.min(this.steps[0], +byId("to").value - 1), +byId("to").value));
    byId("clear").addEventListener("click", () =>
      this.set(Object.fromEntries(NAMES.map((name) => [name, ""]))));
    byId("selection").addEventListener("submit", (event) => event.preventDefault());
  }

  #show() {
    for (const name of [...Object.keys(MENUS), "find"])
      if (byId(name).value !== `${this.values[name]}`) byId(name).value = this.values[name];
    const [from, to] = this.steps, step = this.session.step_ns;
    byId("from").max = this.session.steps - 1;
    byId("to").max = this.session.steps;
    byId("from").value = from;
    byId("to").value = to;
    byId("from").setAttribute("aria-valuetext", time(from * step));
    byId("to").setAttribute("aria-valuetext", time(to * step));
    byId("range-text").textContent = `${time(from * step)} to ${time(to * step)}`;
  }
}
