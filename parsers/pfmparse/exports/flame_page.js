// SPDX-License-Identifier: MIT OR GPL-2.0
// Draws the flame graph, and updates the counts for the chosen event and thread.
"use strict";
(() => {
  const ROW = 18, LEAST = 0.001;
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const { parents, labels: labelOf, totals } = data.boxes;
  const name = (box) => data.labels[labelOf[box]][0];
  const children = parents.map(() => []);
  const depths = parents.map(() => 0);
  parents.forEach((parent, box) => {
    if (parent < 0) return;
    children[parent].push(box);
    depths[box] = depths[parent] + 1;
  });
  const byName = (a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a - b);
  for (const list of children) list.sort(byName);
  const flames = $("flames");
  const state = { zoom: 0, pattern: null, by: "self", down: true, focus: 0 };
  // sides[side][box] is the weight of a box. A page that does not compare has one side.
  let sides = [], drawn = new Map();
  const compares = data.sides.length > 1;

  const unit = () => $("event").value < 0 ? data.unit : data.units[$("event").value];
  const number = (value) => value.toLocaleString("en-US");
  // A number with its unit, such as "1 sample" or "2 samples". Only these units have a
  // singular.
  const amount = (value, things) => `${number(value)} ` +
    (value === 1 ? things.replace(/\b(sample|event|frame|function)s$/, "$1") : things);
  const side = () => compares ? +$("widths").value : 0;
  const share = (value, all) => all ? 100 * value / all : 0;
  const percent = (value, of) => share(value, sides[of][0]).toFixed(2) + " %";
  const object = (box) => data.objects[data.labels[labelOf[box]][1]];

  // Values are flat lists of pairs: the index of a series, and its sum. This function
  // returns a mask of the series of a side that match the chosen event and thread.
  function chosen(side) {
    const event = +$("event").value, thread = +$("thread").value;
    return data.series.map(([s, e, t]) => s === side &&
      (event < 0 || e === event) && (thread < 0 || t === thread));
  }

  function sum(values, series) {
    let all = 0;
    for (let at = 0; at < values.length; at += 2)
      if (series[values[at]]) all += values[at + 1];
    return all;
  }

  // The new side's share minus the old side's, in points with two decimals.
  function difference(values) {
    const [before, now] = values.map((value, of) => share(value, sides[of][0]));
    return Math.round(100 * (now - before)) / 100;
  }

  function signed(points) {
    return (points < 0 ? "" : "+") + points.toFixed(2);
  }

  // The text for the values of each side, with their shares.
  function told(values) {
    const texts = values.map((value, of) =>
      `${data.sides[of]} ${amount(value, unit())}, ${percent(value, of)}`.trim());
    if (compares) texts.push(`difference ${signed(difference(values))} points`);
    return texts.join("; ");
  }

  function said(box) {
    const where = object(box)[0];
    const place = where && where !== name(box) ? ` (${where})` : "";
    const inlined = data.labels[labelOf[box]][2] ? ", inlined" : "";
    return `${name(box)}${place}${inlined}: ${told(sides.map((sums) => sums[box]))}`;
  }

  function colour(box) {
    if (!compares) return object(box)[1];
    const points = difference(sides.map((sums) => sums[box]));
    const step = data.limits.filter((limit) => limit <= Math.abs(points)).length;
    return data.colours[data.limits.length + Math.sign(points) * step];
  }

  function place(box, x, width, below) {
    const element = document.createElement("div");
    const edge = $("icicle").checked ? "top" : "bottom";
    element.style[edge] = depths[box] * ROW + "px";
    element.style.left = 100 * x + "%";
    element.style.width = 100 * width + "%";
    element.style.background = colour(box);
    element.textContent = name(box);
    element.title = said(box);
    element.setAttribute("role", "treeitem");
    element.setAttribute("aria-level", depths[box] + 1);
    element.setAttribute("aria-label", said(box));
    element.tabIndex = -1;
    element.dataset.box = box;
    element.classList.toggle("below", below);
    element.classList.toggle("hit", state.pattern !== null &&
      state.pattern.test(name(box)));
    drawn.set(box, element);
    return element;
  }

  function draw() {
    drawn = new Map();
    const found = document.createDocumentFragment();
    let deepest = depths[state.zoom];
    const path = [];
    for (let box = parents[state.zoom]; box >= 0; box = parents[box]) path.push(box);
    for (const box of path.reverse()) found.append(place(box, 0, 1, true));
    const sums = sides[side()], all = sums[state.zoom];
    const waiting = [[state.zoom, 0, 1]];
    while (waiting.length) {
      const [box, x, width] = waiting.shift();
      found.append(place(box, x, width, false));
      deepest = Math.max(deepest, depths[box]);
      let at = x;
      for (const child of children[box]) {
        const part = all ? sums[child] / all : 0;
        if (part >= LEAST) waiting.push([child, at, part]);
        at += part;
      }
    }
    flames.style.height = (deepest + 1) * ROW + "px";
    flames.replaceChildren(found);
    if (!drawn.has(state.focus)) state.focus = state.zoom;
    drawn.get(state.focus).tabIndex = 0;
  }

  // Says how many boxes are too narrow to be drawn, but would be drawn with the other
  // side's widths.
  function tellNarrow() {
    if (!compares) return;
    const wide = sides.map((sums) =>
      sums.map((value) => value > 0 && value >= LEAST * sums[0]));
    const narrow = parents.map((parent, box) =>
      parent >= 0 && !wide[side()][box] && wide[1 - side()][box]);
    const lowest = parents.map((parent, box) =>
      narrow[box] && !narrow[parent] ? sides[1 - side()][box] : 0);
    const all = narrow.filter((one) => one).length;
    const here = data.sides[side()], there = data.sides[1 - side()];
    const part = percent(lowest.reduce((a, b) => a + b, 0), 1 - side());
    $("too-narrow").textContent = all ? `Not drawn: ${amount(all, "frames")} with less ` +
      `than ${100 * LEAST}% of the ${here} side, but ${part} of the ${there} side. To ` +
      `see them, choose widths "${there}".` : "";
  }

  function count() {
    const series = data.sides.map((_, of) => chosen(of));
    const by = (values) => series.map((one) => sum(values, one));
    sides = series.map((one) => totals.map((values) => sum(values, one)));
    $("summary").textContent = sides.map((sums, of) =>
      `${data.sides[of]} ${amount(sums[0], unit())}`.trim()).join("; ") +
      ($("event").value < 0 ? "" : " of " + data.events[$("event").value]) +
      ($("thread").value < 0 ? "" : " in " + data.threads[$("thread").value]);
    state.rows = data.functions.map(([label, self, total]) => row(
      data.labels[label][0], data.objects[data.labels[label][1]][0], by(self), by(total)));
    const others = data.others;
    state.others = others.count ?
      row(`${amount(others.count, "other functions")}`, "", by(others.self), null) : null;
    list();
    draw();
    find();
    tellNarrow();
  }

  // A row of the table: the texts of its cells, and a member for each sort key.
  function row(name, object, self, total) {
    const found = { name, object, cells: [], empty: true };
    for (const [key, values] of [["self", self], ["total", total]]) {
      if (values === null) {
        found.cells.push(...numbers(self).map(() => ""));
        continue;
      }
      found.cells.push(...numbers(values));
      found[key] = compares ? Math.abs(difference(values)) : values[0];
      data.sides.forEach((one, of) => {
        found[`${key}-${one}`] = share(values[of], sides[of][0]);
      });
      if (values.some((value) => value)) found.empty = false;
    }
    return found;
  }

  // For one side, the sum and its share; for two sides, their shares and the difference.
  function numbers(values) {
    const shares = values.map(percent);
    return compares ? [...shares, signed(difference(values))] :
      [number(values[0]), ...shares];
  }

  function list() {
    const sign = state.down ? -1 : 1, by = state.by;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const rows = state.rows.filter((row) => !row.empty);
    rows.sort((a, b) => sign * compare(a[by], b[by]) || compare(a.name, b.name));
    if (state.others && !state.others.empty) rows.push(state.others);
    $("functions").tBodies[0].replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      [row.name, row.object, ...row.cells].forEach((text, at) => {
        const cell = line.insertCell();
        cell.textContent = text;
        if (at > 1) cell.className = "number";
      });
      return line;
    }));
  }

  function find() {
    const words = $("search").value;
    state.pattern = null;
    let text = "";
    try {
      if (words) state.pattern = new RegExp(words, "i");
    } catch (error) {
      text = "Invalid regular expression.";
    }
    const hit = (box) => state.pattern !== null && state.pattern.test(name(box));
    for (const [box, element] of drawn) element.classList.toggle("hit", hit(box));
    for (const line of $("functions").tBodies[0].rows)
      line.classList.toggle("hit", state.pattern !== null &&
        state.pattern.test(line.cells[0].textContent));
    if (state.pattern !== null) {
      // A matching box includes all boxes above it: do not count those again.
      const all = data.sides.map(() => 0), waiting = [0];
      while (waiting.length) {
        const box = waiting.pop();
        if (hit(box)) sides.forEach((sums, of) => { all[of] += sums[box]; });
        else waiting.push(...children[box]);
      }
      text = `Found in ${told(all)}`;
    }
    $("found").textContent = text;
  }

  function zoom(box) {
    state.zoom = box;
    draw();
  }

  function focus(box) {
    if (!drawn.has(box)) return;
    if (drawn.has(state.focus)) drawn.get(state.focus).tabIndex = -1;
    state.focus = box;
    drawn.get(box).tabIndex = 0;
    drawn.get(box).focus();
  }

  function reset() {
    $("search").value = "";
    find();
    zoom(0);
  }

  function walk(box, key) {
    const shown = (boxes) => boxes.filter((one) => drawn.has(one));
    const outwards = $("icicle").checked ? "ArrowDown" : "ArrowUp";
    if (key === outwards) {
      const above = shown(children[box]), sums = sides[side()];
      return above.reduce((a, b) => (sums[b] > sums[a] ? b : a), above[0]);
    }
    if (key === "ArrowUp" || key === "ArrowDown") return parents[box];
    if (key === "Home") return 0;
    const beside = parents[box] < 0 ? [box] : shown(children[parents[box]]);
    return beside[beside.indexOf(box) + (key === "ArrowRight" ? 1 : -1)];
  }

  function of(event) {
    const element = event.target.closest("[data-box]");
    return element === null ? null : +element.dataset.box;
  }

  function tell(event) {
    const box = of(event);
    if (box !== null) $("details").textContent = said(box);
  }

  function fill(select, names, all) {
    if (names.length !== 1) select.append(new Option(all, -1));
    names.forEach((text, at) => select.append(new Option(text, at)));
    select.addEventListener("change", () => {
      state.zoom = 0;
      count();
    });
  }

  function listen() {
    flames.addEventListener("mouseover", tell);
    flames.addEventListener("focusin", tell);
    flames.addEventListener("click", (event) => {
      const box = of(event);
      if (box === null) return;
      state.focus = box;
      zoom(box);
      focus(box);
    });
    flames.addEventListener("keydown", (event) => {
      const box = of(event);
      if (box === null) return;
      if (event.key === "Enter" || event.key === " ") {
        zoom(box);
        focus(box);
      } else if (event.key.startsWith("Arrow") || event.key === "Home") {
        focus(walk(box, event.key));
      } else {
        return;
      }
      event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        reset();
      } else if (event.key === "/" && event.target !== $("search")) {
        event.preventDefault();
        $("search").focus();
      }
    });
    $("controls").addEventListener("submit", (event) => event.preventDefault());
    $("search").addEventListener("input", find);
    $("icicle").addEventListener("change", draw);
    $("reset").addEventListener("click", reset);
    if (compares) $("widths").addEventListener("change", () => {
      if (!sides[side()][state.zoom]) state.zoom = 0;
      draw();
      tellNarrow();
    });
    for (const head of document.querySelectorAll("th[data-by]"))
      head.firstElementChild.addEventListener("click", () => {
        const by = head.dataset.by;
        state.down = by === state.by ? !state.down : by !== "name" && by !== "object";
        state.by = by;
        for (const other of document.querySelectorAll("th[data-by]"))
          other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
        list();
        find();
      });
  }

  fill($("event"), data.events, "all events");
  // Begin with one event, because the units of events may differ.
  if (data.events.length) $("event").value = 0;
  fill($("thread"), data.threads, "all threads");
  listen();
  $("graph").hidden = false;
  count();
})();
