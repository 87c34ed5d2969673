// SPDX-License-Identifier: MIT OR GPL-2.0
// The view with a table of functions, threads, or values of another key.
import { ask } from "./api.js";
import { amount, button, byId, element, long, number, percent, printable, redraw } from "./text.js";

const COLUMNS = [["name", "Name"], ["detail", "Where"], ["own", "Self"], ["total", "Total"]];
const NUMBERS = ["own", "total"];

export class TableView {
  constructor(page) {
    this.page = page;
    this.order = "own";
    this.down = true;
    for (const key of page.session.keys) byId("by").append(new Option(key));
    byId("by").addEventListener("change", () => page.show());
  }

  ask() {
    const down = this.down ? "yes" : "no";
    const wanted = { by: byId("by").value, order: this.order, down };
    return ask("table", { ...this.page.selection.parameters(), ...wanted });
  }

  draw({ rows, others, total, options }) {
    const table = byId("rows"), { unit } = this.page.session;
    table.caption.textContent = `${amount(total, unit)}` +
      (options ? `, as with pfmparse report ${printable(options)}` : "");
    const columns = COLUMNS.filter(([name]) =>
      name !== "total" || rows.some((row) => row.total !== null));
    const sorting = table.tHead.contains(document.activeElement);
    table.tHead.rows[0].replaceChildren(...columns.flatMap((one) => this.#heads(...one)));
    if (sorting) table.tHead.querySelector("[aria-sort] button")?.focus();
    const all = [...rows];
    if (others.count)
      all.push({ name: amount(others.count, "others"), detail: "", own: others.own, total: null, select: {}, function: null });
    redraw(table.tBodies[0], all.map((row) => this.#row(row, columns, total)));
  }

  #heads(name, title) {
    const head = element("th"), sorted = this.order === name;
    head.scope = "col";
    head.dataset.by = name;
    head.append(button(title, () => this.#sort(name)));
    if (sorted) head.setAttribute("aria-sort", this.down ? "descending" : "ascending");
    if (!NUMBERS.includes(name)) return [head];
    head.className = "number";
    return [head, element("th", "%", "number")];
  }

  #sort(name) {
    this.down = name === this.order ? !this.down : NUMBERS.includes(name);
    this.order = name;
    this.page.show();
  }

  #row(row, columns, total) {
    const line = element("tr");
    for (const [name] of columns) {
      if (!NUMBERS.includes(name)) {
        const cell = element("td");
        cell.append(long(row[name], name === "name" ? this.page.action(row) : null));
        line.append(cell);
      } else if (row[name] === null) {
        line.append(element("td"), element("td"));
      } else {
        line.append(element("td", number(row[name]), "number"));
        line.append(element("td", percent(row[name], total), "number"));
      }
    }
    return line;
  }
}
