/*
 * What is selected, of all views one: a trace, a view, the words by which suspects are filtered, with or without the
 * arguments of calls, a frame of the call tree and whether that is of the selected trace alone. It is in the address, so that it can be sent, and is kept from view to view.
 */

const selection = { trace: null, view: "answer", filter: "", args: false, frame: null, alone: false };
const markers = []; /* called when the selected trace is another one, or something new is drawn */
const listeners = []; /* (changed: a set of members) => */

const viewElements = { diff: "difference" }; /* where its id is another one */

function hashOf(state) {
  const parts = new URLSearchParams();
  if (state.trace) parts.set("trace", state.trace);
  parts.set("view", state.view);
  if (state.filter) parts.set("filter", state.filter);
  parts.set("args", state.args ? "1" : "0");
  if (state.frame !== null) parts.set("frame", state.frame);
  if (state.alone) parts.set("alone", "1");
  return `#${parts}`;
}

function stateOf(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const state = {};
  for (const member of ["trace", "view", "filter"]) if (parts.has(member)) state[member] = parts.get(member);
  if (parts.has("args")) state.args = parts.get("args") === "1";
  if (Object.keys(state).length === 0) return state;
  return { ...state, frame: parts.has("frame") ? Number(parts.get("frame")) : null, alone: parts.get("alone") === "1" };
}

const markSelected = () => markers.forEach((mark) => mark(selection.trace));

/* The links of the navigation lead to the same selection in another view. */
function keepLinks() {
  for (const link of document.querySelectorAll("a[data-view]")) {
    link.setAttribute("href", hashOf({ ...selection, view: link.dataset.view }));
    if (link.dataset.view === selection.view) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function apply(state) {
  const changed = new Set(Object.keys(state).filter((member) => state[member] !== selection[member]));
  Object.assign(selection, state);
  if (changed.size > 0) listeners.forEach((listener) => listener(changed));
  if (changed.has("trace")) markSelected();
  keepLinks();
}

/** Selects what `state` has, and leaves the rest; `silent`: without a new entry in the history. */
function select(state, { silent = false } = {}) {
  apply(state);
  history[silent ? "replaceState" : "pushState"](null, "", hashOf(selection));
}

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Unfolds what a view is in, and goes there. */
function goTo(view) {
  const id = viewElements[view] ?? view;
  for (const outer of [parents[id], id]) sections.get(outer)?.open();
  const element = document.getElementById(id);
  element?.scrollIntoView({ block: "start", behavior: isCalm() ? "auto" : "smooth" });
}

const parents = { similarity: "method", ranking: "method", lattice: "method" };

function show(state, options) {
  select(state, options);
  goTo(selection.view);
}

/** The address as it is now. */
function followAddress() {
  const state = stateOf(location.hash);
  if (Object.keys(state).length === 0) return;
  apply(state);
  if (state.view) goTo(state.view);
}

/* ---- keys ---- */

const keys = []; /* {keys, does, act} */
let keysWork = true;

function addKey(names, does, act) {
  keys.push({ names, does, act });
}

function makeHelp() {
  const row = ({ names, does }) => make("tr", {}, make("th", { scope: "row" }, ...names.flatMap((name, i) => [i > 0 ? " or " : "", make("kbd", {}, name)])), make("td", {}, does));
  const off = make("input", { type: "checkbox", checked: "", onchange: () => { keysWork = off.checked; } });
  const dialog = make("dialog", { id: "help", "aria-labelledby": "help-heading" },
    make("h2", { id: "help-heading" }, "Keys"),
    make("table", { class: "facts" }, make("tbody", {}, ...keys.map(row))),
    make("p", {}, make("label", {}, off, " Single keys work (not while a text or a picture has the focus)")),
    make("p", { class: "note" }, "Pictures have keys of their own, which stand with them: arrows, +, \u2212, Enter, Escape."),
    button("Close", () => dialog.close()));
  document.body.append(dialog);
  return dialog;
}

function setUpKeys() {
  const dialog = makeHelp();
  document.getElementById("tools").append(button("Keys", () => dialog.showModal(), { class: "quiet", id: "keys", title: "All keys (?)" }));
  addKey(["?"], "this sheet", () => dialog.showModal());
  dialog.querySelector("tbody").append(make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, "?")), make("td", {}, "this sheet")));
  document.addEventListener("keydown", (event) => {
    if (!keysWork || dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea, canvas, [contenteditable]")) return;
    const found = keys.find(({ names }) => names.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.act();
  });
}
