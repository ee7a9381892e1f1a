/* One search over traces, functions, lines of the source, and the text of skeletons. */

const resultsShown = 14;

/* All that can be found: {kind, text, lower, note, go}. Made when it is first needed. */
function searchItems() {
  const items = [];
  const add = (kind, text, note, go) => items.push({ kind, text, lower: `${text} ${note}`.toLowerCase(), note, go });
  const suspected = new Set(data.suspects.map((suspect) => suspect.trace));
  for (const suspect of data.suspects) add("trace", suspect.trace, `${suspect.status}, score ${suspect.score.toFixed(2)}`, () => show({ trace: suspect.trace, view: "diff" }));
  for (const trace of allTraces()) if (!suspected.has(trace)) add("trace", trace, "no suspect", () => show({ trace, view: "stacks" }));
  const known = new Set();
  data.functions.forEach((name, index) => {
    known.add(name);
    add("function", name, data.sources?.[index] ?? "in a difference", () => findInDifference(index));
  });
  const frames = new Map();
  data.stacks.frames.forEach((frame) => frames.set(frame.function, (frames.get(frame.function) ?? 0) + frame.count));
  for (const [name, count] of frames) add("stack", name, `${plural(count, "trace")} in it at the end`, () => findInStacks(name));
  for (const name of data.calls?.functions ?? []) add("calls", name, "in the call tree", () => findInIcicle(name));
  for (const suspect of data.suspects.slice(0, 1000)) {
    for (const place of new Set(`${suspect.source ?? ""} ${suspect.why}`.match(/[^\s(]+\.[A-Za-z0-9+]+:\d+/g) ?? []))
      add("line", place, `trace ${suspect.trace}`, () => show({ trace: suspect.trace, view: "diff" }));
  }
  (data.skeletons ?? []).forEach((line, i) => add("skeleton", line.text.trim(), lineMarks[line.of], () => findInSkeleton(i)));
  (data.timelines?.functions ?? []).filter((row) => !known.has(row.function)).forEach((row) => add("times", row.function, "its time", () => show({ view: "profile" })));
  return items;
}

function allTraces() {
  const traces = new Set(data.timelines?.rows ?? []);
  for (const view of data.views) for (const tile of view.tiles) if (tile.count === 1) traces.add(tile.traces.includes(".") ? tile.traces : `${tile.traces}.0`);
  return traces;
}

function mark(element) {
  document.querySelectorAll(".found").forEach((other) => other.classList.remove("found"));
  element?.classList.add("found");
  element?.scrollIntoView({ block: "center", behavior: isCalm() ? "auto" : "smooth" });
}

/* Does a sequence of elements have the function, in a loop of it or by itself? */
function hasFunction(folding, elements, index) {
  return (elements ?? []).some((element) => (Array.isArray(element) ? hasFunction(folding, data.foldings[folding].bodies[element[0]], index) : element === index));
}

function differenceHas(difference, index) {
  return difference.blocks.some((block) => [block.common, block.normal, block.faulty].some((part) => hasFunction(difference.folding, part, index)));
}

function findInDifference(index) {
  const pick = (list, args) => {
    const found = [list.get(selection.trace), ...list.values()].find((difference) => difference && differenceHas(difference, index));
    return found ? { trace: found.trace, args } : null;
  };
  const at = pick(selection.args ? detailed : differences, selection.args) ?? pick(differences, false) ?? pick(detailed, true);
  show({ ...(at ?? {}), view: "diff" });
  openWhole();
  const name = data.functions[index];
  const all = [...document.querySelectorAll("#detail code")];
  mark(all.find((code) => (code.title || code.textContent) === name) ??
    [...document.querySelectorAll("#detail .loop")].find((loop) => loop.dataset.body && hasFunction(Number(loop.dataset.folding), data.foldings[loop.dataset.folding].bodies[loop.dataset.body], index)));
}

function findInStacks(name) {
  show({ view: "stacks" });
  mark([...document.querySelectorAll("#stacks .frame code")].find((code) => (code.title || code.textContent) === name)?.closest(".frame"));
}

function findInSkeleton(line) {
  show({ view: "skeletons" });
  mark(document.querySelectorAll("#skeletons .skeleton span")[line]);
}

function setUpSearch() {
  let items = null;
  let found = [];
  let chosen = 0;
  const results = make("ul", { id: "results", role: "listbox", "aria-label": "Found", hidden: "" });
  const input = make("input", {
    type: "search", id: "search", role: "combobox", "aria-expanded": "false", "aria-controls": "results", "aria-autocomplete": "list",
    placeholder: "Search functions, ranks, lines", "aria-label": "Search functions, ranks, lines", autocomplete: "off", spellcheck: "false",
    oninput: () => look(), onfocus: () => look(),
    onkeydown: (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && found.length > 0) choose((chosen + step + found.length) % found.length);
      else if (event.key === "Enter") take(found[chosen]);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
    },
    onblur: () => setTimeout(() => document.activeElement === input || close(), 150), /* who comes back meanwhile goes on */
  });
  function close() {
    results.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }
  function choose(place) {
    chosen = place;
    [...results.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    input.setAttribute("aria-activedescendant", `result-${chosen}`);
  }
  function take(item) {
    if (!item) return;
    close();
    input.blur();
    item.go();
  }
  function look() {
    items ??= searchItems();
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = [];
    if (words.length > 0) {
      /* Those that begin with the first word stand before those that have it somewhere. */
      const matches = items.filter((item) => words.every((word) => item.lower.includes(word)));
      found = [...matches.filter((item) => item.lower.startsWith(words[0])), ...matches.filter((item) => !item.lower.startsWith(words[0]))].slice(0, resultsShown);
    }
    results.replaceChildren(...found.map((item, i) => make("li", { role: "option", id: `result-${i}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); take(item); } },
      make("span", { class: "result-kind" }, item.kind), " ", make("code", {}, brief(item.text, nameShown)), " ", make("span", { class: "source" }, item.note))));
    results.hidden = words.length === 0;
    if (words.length > 0 && found.length === 0) results.append(make("li", { role: "option", "aria-selected": "false" }, "Nothing is found."));
    input.setAttribute("aria-expanded", String(words.length > 0));
    if (found.length > 0) choose(0);
  }
  document.querySelector(".page-nav").append(make("div", { class: "search", role: "search" }, input, results));
  addKey(["/"], "search functions, ranks, lines", () => {
    input.focus();
    input.select();
  });
}
