"use strict";
/* Elements, numbers and colours that all parts of the page use. */

/* Names have one spelling already; paths and command lines are in the data as they are. */
const visible = (text) => (typeof text !== "string" ? text :
  text.replace(/[^\n\t\P{C}]|[\p{Zl}\p{Zp}]/gu, (each) => `\\u{${each.codePointAt(0).toString(16)}}`));

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, visible(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined).map(visible));
  return element;
}

/** make("button", {type: "button", onclick: act}, "text", child) */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function button(text, act, attributes = {}) {
  return make("button", { type: "button", onclick: act, ...attributes }, text);
}

const grouped = (number) => number.toLocaleString("en");
const plural = (number, one, many = one + "s") => `${grouped(number)} ${number === 1 ? one : many}`;
/** Lists and places, cut at their end. Names: names.js. */
const shortened = (text, width) => (text.length <= width ? text : text.slice(0, width - 1) + "\u2026");

function bytes(number) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; number >= 1000 && unit < units.length - 1; unit++) number /= 1000;
  return `${unit === 0 ? number : number.toFixed(1)} ${units[unit]}`;
}

/* Cividis (Nunez, Anderton & Renslow 2018): reads alike with and without colour blindness. */
const cividis = ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"].map(
  (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)),
);

function scaleColour(value) {
  const place = Math.min(Math.max(value, 0), 1) * (cividis.length - 1);
  const step = Math.min(Math.floor(place), cividis.length - 2);
  return cividis[step].map((below, i) => Math.round(below + (place - step) * (cividis[step + 1][i] - below)));
}

/** A colour of the theme in use. */
const themeColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Calls `redraw` when colours or widths change. */
const redraws = [];
let redrawPending = false;
function redrawAll() {
  if (redrawPending) return;
  redrawPending = true;
  requestAnimationFrame(() => {
    redrawPending = false;
    for (const redraw of redraws) redraw();
  });
}

/* ---- sections ---- */

const sections = new Map(); /* id -> {section, open(): unfolds and fills it} */

/** An entry of the navigation; the address keeps what is selected. */
function addToNavigation(id, title) {
  document.getElementById("sections").append(make("li", {}, make("a", { href: `#view=${id}`, "data-view": id }, title)));
}

/**
 * A section with its entry in the navigation, folded: `note` says in a line what is in it, build() makes it when it is
 * opened for the first time.
 */
function addSection(id, title, note, build, { open = false } = {}) {
  const heading = `${id}-heading`;
  const body = make("div", { class: "section-body" });
  const fold = make("details", { class: "section-fold", open: open ? "" : null, ontoggle: () => fold.open && fill() },
    make("summary", {}, make("h2", { id: heading }, title), " ", make("span", { class: "summary-note" }, note)), body);
  const section = make("section", { id, "aria-labelledby": heading }, fold);
  let filled = false;
  function fill() {
    if (filled) return;
    filled = true;
    body.append(...build().filter((child) => child !== null && child !== ""));
    markSelected();
    redrawAll();
  }
  document.getElementById("main").append(section);
  if (open) fill();
  sections.set(id, { section, open: () => { fold.open = true; fill(); } });
  addToNavigation(id, title);
}
