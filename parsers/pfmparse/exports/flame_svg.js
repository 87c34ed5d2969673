// SPDX-License-Identifier: MIT OR GPL-2.0
// Adds zooming and searching to a flame graph, which is complete without scripts.
"use strict";
(() => {
  const LEFT = 8, CHAR = 7.3, NARROWEST = 240;
  const svg = document.documentElement;
  const height = svg.viewBox.baseVal.height;
  let wide = 0, zoomed = null;
  const boxes = Array.from(document.querySelectorAll("#boxes > g"), (g) => ({
    g, name: g.getAttribute("data-n"), depth: +g.getAttribute("data-d"),
    x: +g.getAttribute("data-x"), width: +g.getAttribute("data-w"),
    rect: g.querySelector("rect"), text: g.querySelector("text"),
  }));
  const say = document.getElementById("found");

  function fitted(name, width) {
    const room = Math.floor((width - 6) / CHAR);
    if (room < 3) return "";
    return name.length <= room ? name : name.slice(0, room - 2) + "..";
  }

  function contains(outer, inner) {
    const slack = 1e-9;
    return outer.x <= inner.x + slack &&
      inner.x + inner.width <= outer.x + outer.width + slack;
  }

  function zoom(chosen) {
    zoomed = chosen;
    const scale = 1 / chosen.width;
    for (const box of boxes) {
      const below = box.depth < chosen.depth && contains(box, chosen);
      const above = box.depth >= chosen.depth && contains(chosen, box);
      box.g.style.display = below || above ? "" : "none";
      box.g.classList.toggle("below", below);
      if (!below && !above) continue;
      const x = below ? 0 : (box.x - chosen.x) * scale;
      const width = (below ? 1 : box.width * scale) * wide;
      box.rect.setAttribute("x", LEFT + x * wide);
      box.rect.setAttribute("width", Math.max(width - 0.5, 0.5));
      box.text.setAttribute("x", LEFT + x * wide + 3);
      box.text.textContent = fitted(box.name, width);
    }
  }

  function search(words) {
    let pattern = null;
    try {
      pattern = words ? new RegExp(words) : null;
    } catch (error) {
      say.textContent = "invalid regular expression: " + words;
      return;
    }
    let part = 0, end = -1;
    const hits = boxes.filter((box) => {
      const hit = pattern !== null && pattern.test(box.name);
      box.g.classList.toggle("hit", hit);
      return hit;
    });
    // A matching box includes all boxes above it: do not count those again.
    hits.sort((a, b) => a.x - b.x || a.depth - b.depth);
    for (const box of hits) {
      if (box.x + box.width <= end + 1e-9) continue;
      part += box.width;
      end = box.x + box.width;
    }
    say.textContent = pattern === null ? "" :
      words + ": " + hits.length + " frames, " + (100 * part).toFixed(1) + " %";
  }

  function ask() {
    const words = window.prompt("Functions to find (a regular expression):", "");
    if (words !== null) search(words);
  }

  // Fits the widths of boxes to the window. Without scripts, for example in <img>,
  // browsers scale the whole picture, with its texts.
  function fit() {
    const all = Math.max(svg.clientWidth || window.innerWidth, NARROWEST);
    wide = all - 2 * LEFT;
    svg.setAttribute("viewBox", `0 0 ${all} ${height}`);
    svg.setAttribute("height", height);
    for (const id of ["search", "found"])
      document.getElementById(id).setAttribute("x", LEFT + wide);
    zoom(zoomed || boxes[0]);
  }

  for (const box of boxes) {
    box.g.setAttribute("tabindex", "0");
    box.g.addEventListener("click", () => zoom(box));
    box.g.addEventListener("keydown", (event) => {
      if (event.key === "Enter") zoom(box);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      zoom(boxes[0]);
      search("");
    } else if (event.key === "/") {
      event.preventDefault();
      ask();
    }
  });
  const button = document.getElementById("search");
  button.style.display = "";
  button.addEventListener("click", ask);
  window.addEventListener("resize", fit);
  fit();
})();
