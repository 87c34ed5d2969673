// SPDX-License-Identifier: MIT OR GPL-2.0
// Numbers, times and elements with text. Names come from captures: they are never HTML.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

export const byId = (id) => document.getElementById(id);

export const number = (value) => value.toLocaleString("en-US");

// A number with its unit, such as "1 sample" or "2 samples". Only these units have a
// singular.
export const amount = (value, things) => `${number(value)} ` +
  (value === 1 ? things.replace(/^(sample|event|frame|other)s$/, "$1") : things);

// Returns whether a key was pressed with a modifier: such keys are for the browser.
export const modified = (event) => event.ctrlKey || event.altKey || event.metaKey;

export function percent(value, all) {
  return (all ? 100 * value / all : 0).toFixed(2) + " %";
}

export function time(ns) {
  const [size, unit] = UNITS.find(([size]) => ns >= size) ?? [1, "ns"];
  return `${+(ns / size).toFixed(6)} ${unit}`;
}

// Escapes characters that are invisible or change the direction of text, except tabs,
// which indent source code.
export const printable = (text) =>
  `${text}`.replace(/[^\P{C}\t]|[\p{Zl}\p{Zp}]/gu, (character) =>
    `\\u{${character.codePointAt(0).toString(16)}}`);

export function element(name, text = "", classes = "") {
  const found = document.createElement(name);
  found.textContent = printable(text);
  if (classes) found.className = classes;
  return found;
}

export function button(text, click, classes = "") {
  const found = element("button", text, classes);
  found.type = "button";
  found.addEventListener("click", click);
  return found;
}

// Replaces the rows of a table. The focus stays on the same name or, if that has gone,
// moves to the first name.
export function redraw(body, rows) {
  const focused = document.activeElement;
  const name = body.contains(focused) ? focused.textContent : null;
  body.replaceChildren(...rows);
  if (name === null) return;
  const names = Array.from(body.querySelectorAll("button"));
  (names.find((one) => one.textContent === name) ?? names[0])?.focus();
}

// Makes an element for a text that may be too long; it is shown completely on focus.
export function long(text, click = null) {
  const found = click ? button(text, click, "long") : element("span", text, "long");
  found.title = printable(text);
  if (!click && text.length > 40) found.tabIndex = 0;
  return found;
}
