// SPDX-License-Identifier: MIT OR GPL-2.0
// Reads the session, and shows one view at a time for the shared selection.
import { ask } from "./api.js";
import { AroundView } from "./around.js";
import { CodeView } from "./code.js";
import { FlameView } from "./flame.js";
import { HeatView } from "./heat.js";
import { Overview } from "./overview.js";
import { Selection } from "./selection.js";
import { TableView } from "./table.js";
import { amount, byId, element, modified, number, printable } from "./text.js";

const main = document.querySelector("main");
const VIEWS = { flame: FlameView, table: TableView, around: AroundView, code: CodeView,
  heat: HeatView };

class Page {
  constructor(session) {
    this.session = session;
    this.selection = new Selection(session);
    this.overview = session.steps > 1 ? new Overview(this.selection) : null;
    this.views = {};
    for (const [name, View] of Object.entries(VIEWS)) this.views[name] = new View(this);
    const wanted = new URLSearchParams(location.hash.slice(1)).get("view");
    this.view = wanted in VIEWS ? wanted : "flame";
    this.function = null; // shown in the views of one function
    this.turn = 0;
    this.selection.addEventListener("change", () => this.show());
    this.#listen();
  }

  open(view) {
    this.view = view;
    this.show();
  }

  openFunction(view, number) {
    this.function = number;
    // The element that has the focus is about to be hidden.
    if (view !== this.view) byId(`tab-${view}`).focus();
    this.open(view);
  }

  // Returns what a click on a row's name does, or null.
  action(row) {
    if (row.function !== null) return () => this.openFunction("around", row.function);
    if (Object.keys(row.select).length) return () => this.selection.set(row.select);
    return null;
  }

  // Returns the number of the chosen function, or of the function with the most samples.
  async chosenFunction() {
    if (this.function === null) {
      const wanted = { ...this.selection.parameters(), by: "function", top: 1 };
      const { rows } = await ask("table", wanted);
      this.function = rows.length ? rows[0].function : null;
    }
    return this.function;
  }

  // Requests the data of the current view and draws it, unless another view or selection
  // was chosen in the meantime.
  async show() {
    const turn = ++this.turn, view = this.views[this.view];
    this.#remember();
    for (const name of Object.keys(VIEWS)) {
      const tab = byId(`tab-${name}`), chosen = name === this.view;
      byId(name).hidden = !chosen;
      tab.setAttribute("aria-selected", chosen);
      tab.tabIndex = chosen ? 0 : -1;
    }
    main.setAttribute("aria-busy", "true");
    try {
      const [answer] = await Promise.all([view.ask(), this.overview?.show()]);
      if (turn !== this.turn) return;
      view.draw(answer);
      complain("");
    } catch (error) {
      if (turn === this.turn) complain(error.message);
    }
    if (turn === this.turn) main.removeAttribute("aria-busy");
  }

  #remember() {
    const { generation, ...values } = this.selection.parameters();
    const kept = Object.entries({ view: this.view, ...values }).filter(([, value]) => value !== "");
    history.replaceState(null, "", "#" + new URLSearchParams(kept));
  }

  // Saves the flame graph and functions of the selection, to be opened without pfmparse.
  async save() {
    try {
      const { html } = await ask("page", this.selection.parameters(false));
      const link = element("a");
      link.href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
      link.download = "pfmparse.html";
      link.click();
      complain("");
    } catch (error) {
      complain(error.message);
    }
  }

  #listen() {
    byId("save").addEventListener("click", () => this.save());
    const tabs = Object.keys(VIEWS);
    for (const name of tabs)
      byId(`tab-${name}`).addEventListener("click", () => this.open(name));
    byId("tabs").addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by || modified(event)) return;
      this.open(tabs[(tabs.indexOf(this.view) + by + tabs.length) % tabs.length]);
      byId(`tab-${this.view}`).focus();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || modified(event) || event.target.matches("input")) return;
      event.preventDefault();
      byId("find").focus();
    });
  }
}

function complain(text) {
  byId("error").textContent = text;
  byId("error").hidden = !text;
}

// The parts of the page that do not depend on the selection.
function describe(session) {
  document.title = byId("title").textContent = printable(session.title);
  byId("version").textContent = session.version;
  byId("summary").textContent = amount(session.total, session.unit);
  const rows = session.captures.map((capture) => {
    const inBuffers = Object.entries(capture.lost_in_buffers).filter(([, sum]) => sum)
      .map(([reason, sum]) => `${number(sum)} ${reason}`).join(", ");
    const lost = capture.lost === null ? "unknown" : number(capture.lost);
    const line = element("tr");
    line.append(element("td", capture.file), element("td", capture.host),
      element("td", number(capture.samples), "number"), element("td", lost, "number"),
      element("td", inBuffers));
    return line;
  });
  byId("captures").querySelector("tbody").replaceChildren(...rows);
  byId("warnings").replaceChildren(...session.warnings.map((text) => element("li", text)));
  for (const id of ["selection", "tabs"]) byId(id).hidden = false;
  byId("time").hidden = session.steps < 2;
}

try {
  const session = await ask("session");
  describe(session);
  await new Page(session).show();
} catch (error) {
  complain(error.message);
}
