/* The sections of the page, from the data. */

const data = JSON.parse(document.getElementById("data").textContent);
const byTrace = (list) => new Map((list ?? []).map((difference) => [difference.trace, difference]));
const differences = byTrace(data.differences);
const detailed = byTrace(data.detailed); /* with the arguments of calls */
const suspectOf = new Map(data.suspects.map((suspect) => [suspect.trace, suspect]));
const isStrong = (suspect) => suspect.level === "suspect";

/* ---- theme ---- */

function setUpTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const toggle = button("", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
  }, { id: "theme", class: "quiet" });
  document.getElementById("tools").append(toggle);
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const show = () => {
    toggle.textContent = isDark() ? "Light theme" : "Dark theme";
    redrawAll();
  };
  dark.addEventListener("change", show);
  show();
  setUpPrinting();
}

/* On paper everything is light, whatever the screen is. */
function setUpPrinting() {
  const root = document.documentElement;
  let onScreen;
  let opened = [];
  const use = (theme) => {
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const redraw of redraws) redraw();
  };
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    opened = [...document.querySelectorAll(".findings details:not([open])")];
    for (const each of opened) each.open = true;
    use("light");
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    use(onScreen);
  });
}

/* ---- head ---- */

function endText(run) {
  if (run.timed_out) return `ended by the time limit after ${run.seconds.toFixed(1)} s`;
  if (run.stuck) return `ended after ${run.seconds.toFixed(1)} s: ${run.stuck}`;
  if (!run.finished) return "still running when last seen";
  if (run.exit_status > 128) return `died of signal ${run.exit_status - 128}`;
  return `ended with status ${run.exit_status} after ${run.seconds.toFixed(1)} s`;
}

function addHead() {
  const figure = (value, label) => make("li", {}, make("b", {}, value), " ", label);
  const faulty = data.runs[data.runs.length - 1];
  const figures = [figure(grouped(data.views[0]?.traces ?? 0), "traces compared"), figure("", `faulty run: ${endText(faulty)}`)];
  for (const [member, label] of [["only_in_normal", "only in the normal run"], ["only_in_faulty", "only in the faulty run"]])
    if (data[member].length > 0) figures.push(figure(grouped(data[member].length), `${data[member].length === 1 ? "trace" : "traces"} ${label}`));
  document.getElementById("figures").append(...figures);
  document.getElementById("footer").textContent = `Made by difftrace ${data.difftrace}. Everything is in this file: it loads nothing.`;
}

/** Full names instead of brief ones, everywhere. */
function setUpNames() {
  const root = document.documentElement;
  const toggle = button("Full names", () => {
    const whole = root.dataset.names !== "whole";
    if (whole) root.dataset.names = "whole";
    else delete root.dataset.names;
    toggle.setAttribute("aria-pressed", String(whole));
  }, { class: "quiet", id: "names", "aria-pressed": "false", title: "Names with all types (f)" });
  document.getElementById("tools").append(toggle);
  addKey(["f"], "names in full, or brief", () => toggle.click());
}

/** Commands can be copied. */
function setUpCommands() {
  for (const command of document.querySelectorAll(".command")) {
    const copy = button("Copy", async () => {
      getSelection().selectAllChildren(command);
      try {
        await navigator.clipboard.writeText(command.textContent);
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Selected";
      }
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    }, { class: "quiet copy", "aria-label": `Copy: ${command.textContent}` });
    command.after(" ", copy);
  }
}

/* ---- suspects and their differences ---- */

const detail = document.getElementById("detail");
const rowsByTrace = new Map();
let suspectsTable = null;
let wholeOpen = false; /* kept from trace to trace */

function statusBadge(suspect) {
  return make("span", { class: `badge ${suspect.status}` }, suspect.status);
}

function scoreCell(suspect) {
  const meter = make("span", { class: "meter", "aria-hidden": "true" });
  meter.style.setProperty("--share", `${100 * suspect.score}%`);
  return make("span", { class: "score" }, suspect.score.toFixed(2), meter);
}

const namesListed = 40;
let tracesOfGroups = null;

/* Those that depart in the same way, by group. */
function groups() {
  if (tracesOfGroups !== null) return tracesOfGroups;
  tracesOfGroups = new Map();
  for (const { group, trace } of data.suspects) {
    if (tracesOfGroups.has(group)) tracesOfGroups.get(group).push(trace);
    else tracesOfGroups.set(group, [trace]);
  }
  return tracesOfGroups;
}

/* Others that depart in the same way. */
function groupNote(suspect) {
  const others = suspect.group === 0 ? [] : (groups().get(suspect.group) ?? []).filter((trace) => trace !== suspect.trace);
  if (others.length === 0) return null;
  const names = shortened(others.slice(0, namesListed).join(", ") + (others.length > namesListed ? ", \u2026" : ""), 120);
  return make("p", {}, `${plural(others.length, "other trace departs", "other traces depart")} in the same way: ${names}`);
}

/* The difference of a trace, by names or by names and arguments. */
const differenceOf = (trace) => (selection.args && detailed.get(trace)) || differences.get(trace);

function withoutDifference(trace) {
  const suspect = suspectOf.get(trace);
  const why =
    data.normal === null
      ? "There was no normal run to compare with."
      : !suspect
        ? "It is no suspect; this page shows how the most suspicious traces differ."
        : suspect.status === "missing" || data.only_in_faulty.includes(trace)
          ? "The trace is in one of the runs only."
          : data.suspects.indexOf(suspect) < data.differences.length || data.differences.length < 24
            ? "Both runs make the same calls."
            : "This page shows how the most suspicious traces differ; see this one with:";
  return [make("p", {}, why), why.endsWith(":") ? make("pre", {}, `difftrace diffnlr ${trace}`) : ""];
}

function differenceNodes(trace) {
  const difference = differenceOf(trace);
  if (!difference) return withoutDifference(trace);
  const whole = make("details", { id: "whole", open: wholeOpen ? "" : null, ontoggle: () => {
    wholeOpen = whole.open;
    fillWhole(whole, trace);
  } }, make("summary", {}, "All of it, loops folded"));
  fillWhole(whole, trace);
  const nodes = [difference.departure ? departureTable(data, difference) : make("p", {}, "The same calls in the same order."), whole];
  return [make("div", { id: "alignment" }, ...nodes)];
}

function fillWhole(whole, trace) {
  if (whole.open && whole.childElementCount === 1) whole.append(alignment(trace));
}

/* Fills what is unfolded at once, without waiting for its event. */
function openWhole() {
  const whole = document.getElementById("whole");
  if (!whole) return;
  whole.open = true;
  wholeOpen = true;
  fillWhole(whole, selection.trace);
}

function alignment(trace) {
  const difference = differenceOf(trace);
  const note = difference.minimal ? "" : " They are thousands of edits apart; the alignment need not be the shortest.";
  return make("div", {},
    make("p", {}, difference.first_difference ? make("span", {}, "First difference: ", make("b", {}, difference.first_difference), ". ") : "",
      "Calls kept by filter ", make("code", {}, data.foldings[difference.folding].filter), ".", note),
    changesTable(difference) ?? "",
    differenceLegend(),
    diffTable(data, difference),
  );
}

function argumentsToggle(trace) {
  if (!detailed.has(trace)) return null;
  return button("Arguments of calls", () => select({ args: !selection.args }),
    { id: "arguments", class: "quiet", "aria-pressed": String(selection.args), title: "With or without arguments (a)" });
}

/** What the difference comes to, in calls. */
function changesTable(difference) {
  const { changes, changed_functions: all } = difference;
  if (!changes || changes.length === 0) return null;
  const line = ([index, normal, faulty]) =>
    make("tr", {}, make("th", { scope: "row" }, nameNode(data.functions[index]), sourceOf(data, index)),
      make("td", { class: "numeric" }, grouped(normal)), make("td", { class: "numeric" }, grouped(faulty)));
  const heading = (text) => make("th", { scope: "col" }, text);
  return make("table", { class: "changes" },
    make("caption", {}, "What changed: calls where the runs differ"),
    make("thead", {}, make("tr", {}, heading("Function"), heading("Normal"), heading("Faulty"))),
    make("tbody", {}, ...changes.map(line)),
    all > changes.length ? make("tfoot", {}, make("tr", {}, make("td", { colspan: "3" }, `and ${plural(all - changes.length, "more function")}`))) : "");
}

function neighbour(trace, step) {
  return data.suspects[data.suspects.indexOf(suspectOf.get(trace)) + step]?.trace;
}

function goToNeighbour(step) {
  const trace = neighbour(selection.trace, step);
  if (trace) showDetail(trace);
}

/** Selects a trace and goes to its difference. */
function showDetail(trace) {
  show({ trace, view: "diff" });
  detail.querySelector("h3")?.focus({ preventScroll: true });
}

/* Those against the first ones stand in the table. */
function reasons(suspect) {
  if (!suspect || (firstRows()?.keep(suspect) ?? true)) return "";
  return make("ul", { class: "why" }, ...suspect.why.split("; ").filter((reason) => reason !== suspect.status).map((reason) => make("li", { title: reason }, brief(reason))));
}

function drawDetail() {
  const { trace } = selection;
  if (trace === null) return;
  const suspect = suspectOf.get(trace);
  const heading = make("h3", { tabindex: "-1" }, `How trace ${trace} differs `, suspect ? statusBadge(suspect) : "");
  const step = (text, by) => button(text, () => goToNeighbour(by), { class: "quiet", disabled: neighbour(trace, by) ? null : "", title: by < 0 ? "The suspect before (p)" : "The next suspect (n)" });
  detail.replaceChildren(
    make("div", { class: "detail-head" }, heading,
      make("div", { class: "detail-steps" }, argumentsToggle(trace) ?? "", step("Previous", -1), step("Next", 1))),
    reasons(suspect), (suspect && groupNote(suspect)) ?? "", ...differenceNodes(trace));
}

function markRows(trace) {
  for (const [of, line] of rowsByTrace) {
    line.toggleAttribute("data-selected", of === trace);
    line.querySelector("button").setAttribute("aria-pressed", String(of === trace));
  }
}

/* Its status has a column of its own. */
const whyText = (suspect) => (suspect.why.startsWith(`${suspect.status}; `) ? suspect.why.slice(suspect.status.length + 2) : suspect.why);

/* Those that are shown before all are asked for: the strong ones, or a few. */
let firstOfSuspects;
function firstRows() {
  firstOfSuspects ??= findFirstRows();
  return firstOfSuspects;
}

function findFirstRows() {
  const strong = data.suspects.filter(isStrong).length;
  const shown = strong > 0 ? strong : 3;
  const rest = data.suspects.slice(shown);
  if (rest.length === 0) return null;
  const places = new Set(data.suspects.slice(0, shown));
  const named = shortened(rest.slice(0, namesListed).map((suspect) => suspect.trace.replace(/\.0$/, "")).join(", "), 60);
  return { keep: (suspect) => places.has(suspect), label: `Show ${grouped(rest.length)} ${strong > 0 ? "" : "more "}with weak evidence: ${named}` };
}

function addSuspects() {
  const holder = document.getElementById("suspects-table");
  if (data.suspects.length === 0) return;
  const open = (suspect) => button(suspect.trace, () => showDetail(suspect.trace), { class: "trace", "aria-pressed": String(suspect.trace === selection.trace), title: "Show how it differs" });
  suspectsTable = dataTable({
    caption: "Suspects",
    columns: [
      { title: "Trace", value: (row) => row.trace, cell: open },
      { title: "Score", value: (row) => row.score, cell: scoreCell, numeric: true, descendingFirst: true },
      { title: "Level", value: (row) => row.level },
      { title: "Status", value: (row) => row.status, cell: statusBadge },
      { title: "Why", value: (row) => row.why, cell: (row) => make("span", { class: "reason", title: row.why }, brief(whyText(row))), class: "wide" },
    ],
    rows: data.suspects,
    first: firstRows(),
    words: selection.filter,
    onwords: (filter) => select({ filter }, { silent: true }),
    row: (suspect, line) => {
      rowsByTrace.set(suspect.trace, line);
      line.classList.add(suspect.level);
      line.toggleAttribute("data-selected", suspect.trace === selection.trace);
    },
  });
  holder.replaceChildren(suspectsTable);
}

/* ---- the other sections ---- */

function addStacks() {
  addSection("stacks", "Where everybody is", `the call stacks of ${plural(data.stacks.traces, "trace")} at the end of the faulty run, merged`, () => {
    const tree = stackTree(data.stacks);
    const mark = (trace) => markStacks(tree, trace);
    markers.push(mark);
    return [make("p", { class: "lead" }, "The bar is the share of the traces; the branch of the selected one is marked."), tree];
  });
}

const viewTitles = {
  diff: "Change of similarity",
  normal: "Similarity in the normal run",
  faulty: "Similarity in the faulty run",
};

function matrixTable(map) {
  const { tiles } = map.view;
  const head = make("tr", {}, make("td"), ...tiles.map((tile) => make("th", { scope: "col" }, tile.traces)));
  const rows = tiles.map((tile, i) =>
    make("tr", {}, make("th", { scope: "row" }, tile.traces), ...tiles.map((_, j) => make("td", {}, map.values[i * map.n + j].toFixed(3)))));
  return make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Values" }, make("table", { class: "values" }, make("thead", {}, head), make("tbody", {}, ...rows)));
}

/* A picture of few traces, or of one colour, is a sentence. */
function viewSentence(view) {
  const n = view.tiles.length;
  const values = decodeMatrix(view.matrix, n);
  if (n < 2) return `There is ${plural(view.traces, "trace")} only.`;
  const [most, least] = [{ value: -Infinity }, { value: Infinity }];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const value = values[i * n + j];
      if (value > most.value) Object.assign(most, { value, i, j });
      if (value < least.value) Object.assign(least, { value, i, j });
    }
  }
  if (most.value === least.value && view.tiles.every((tile) => tile.count === 1)) return `Each of the ${grouped(view.traces)} traces to each other one: ${most.value.toFixed(3)}.`;
  if (view.traces > 4) return null;
  const text = ({ value, i, j }) => `${value.toFixed(3)}, ${view.tiles[i].traces} and ${view.tiles[j].traces}`;
  return `Of ${view.traces} traces: most ${text(most)}; least ${text(least)}.`;
}

function viewCard(view) {
  const title = viewTitles[view.of];
  const sentence = viewSentence(view);
  const card = make("div", { class: "card" });
  if (sentence !== null) {
    card.append(make("h3", {}, title), make("p", {}, sentence));
    return card;
  }
  const order = orderLike(view, data.views[0]);
  const map = new HeatMap(view, title, order);
  const enlarge = button("Enlarge", () => {
    map.large = card.toggleAttribute("data-large");
    enlarge.textContent = map.large ? "Reduce" : "Enlarge";
    map.draw();
  }, { class: "quiet", "aria-label": `Enlarge or reduce: ${title}` });
  const own = button("By its own clusters", () => {
    const pressed = own.getAttribute("aria-pressed") !== "true";
    own.setAttribute("aria-pressed", String(pressed));
    map.order(pressed);
  }, { class: "quiet", "aria-pressed": "false", "aria-label": `By its own clusters: ${title}` });
  const note = view.tiles.length < view.traces ? make("p", { class: "note" }, `${grouped(view.traces)} traces in ${grouped(view.tiles.length)} clusters of alike ones.`) : null;
  card.append(make("div", { class: "card-head" }, make("h3", {}, title), make("div", { class: "tools" }, order ? own : "", enlarge)), note ?? "", map.figure);
  if (view.tiles.length <= 40) {
    const table = make("details", { ontoggle: () => table.childElementCount === 1 && table.append(matrixTable(map)) }, make("summary", {}, "As a table"));
    card.append(table);
  }
  return card;
}

function subsection(id, title, ...children) {
  return make("section", { id, class: "inner", "aria-labelledby": `${id}-heading` }, make("h3", { id: `${id}-heading` }, title), ...children);
}

function viewsSection() {
  const { filter, attributes, linkage } = data.configuration;
  return subsection("similarity", "Similarity and clusters",
    make("p", { class: "lead" }, "How alike the traces are. The best row of the ranking table: filter ",
      make("code", {}, filter), ", attributes ", make("code", {}, attributes), ", linkage ", make("code", {}, linkage), ". Rows have one order in all matrices, that of the first one's clusters, drawn above it; ",
      make("span", { class: "suspicious-key" }, "\u25b8 bold"), " marks what the published ranking calls suspicious, ",
      make("span", { class: "selected-key" }, "\u25cf framed"), " the selected trace."),
    make("div", { class: "cards" }, ...data.views.map(viewCard)));
}

function latticePicture(lattice) {
  const holder = make("div", { class: "lattice", tabindex: "0", role: "region", "aria-label": `Lattice of the ${lattice.of} run` });
  const picture = new DOMParser().parseFromString(lattice.svg, "image/svg+xml").documentElement;
  picture.setAttribute("role", "img");
  /* Graphviz measures narrower letters than browsers may draw. */
  for (const text of picture.querySelectorAll("text")) text.setAttribute("font-size", 0.86 * text.getAttribute("font-size"));
  picture.setAttribute("aria-label", `Concept lattice of the ${lattice.of} run`);
  holder.append(document.importNode(picture, true));
  return holder;
}

/* The text in a concept that lists its traces. */
function markLattice(picture, trace) {
  for (const text of picture.querySelectorAll("text")) {
    const list = /^traces? (.+)$/.exec(text.textContent)?.[1];
    text.classList.toggle("of-selected", trace !== null && listHas(list, trace));
  }
}

/* What the loops are that it names, as far as the differences have them. */
function loopsOf(lattice) {
  const folding = data.foldings.find(({ filter }) => filter === data.configuration.filter);
  const named = new Set((lattice.svg ?? "").match(/\bL\d+\b/g) ?? []);
  const known = [...named].filter((name) => folding?.bodies[name.slice(1)]);
  if (known.length === 0) return null;
  const place = data.foldings.indexOf(folding);
  return make("details", {}, make("summary", {}, `${plural(known.length, "loop")} of it in words`),
    make("dl", { class: "loops" }, ...known.flatMap((name) => [make("dt", {}, name), make("dd", {}, make("code", {}, bodyText(data, place, name.slice(1))))])));
}

function latticeEntry(lattice) {
  if (!lattice.svg) return make("details", {}, make("summary", {}, `The ${lattice.of} run`), make("p", {}, `Not drawn here: ${lattice.note}.`));
  const picture = latticePicture(lattice);
  markers.push((trace) => markLattice(picture, trace));
  return make("details", { open: lattice.of === "faulty" ? "" : null }, make("summary", {}, `The ${lattice.of} run`), picture, loopsOf(lattice));
}

function latticeSection() {
  return subsection("lattice", "Lattice",
    make("p", { class: "lead" }, "Which traces share which calls: from all traces at the top down to those with most in common."), ...data.lattices.map(latticeEntry));
}

const lineMarks = { same: " ", first: "-", second: "+", changed: "~" };

/** How what all ranks do to communicate differs. */
function addSkeletons() {
  if (!data.skeletons) return;
  const count = (of) => data.skeletons.filter((line) => line.of === of).length;
  const lead = count("same") === data.skeletons.length
    ? "what all ranks do to communicate is the same in both runs"
    : `what all ranks do to communicate, as one text: ${plural(count("first"), "line")} of the normal run alone (-), ` +
      `${count("second")} of the faulty run (+), ${count("changed")} with other values (~)`;
  const line = ({ of, text }) => make("span", { class: of }, `${lineMarks[of]} ${text}\n`);
  addSection("skeletons", "Skeletons", lead, () => [
    make("pre", { class: "skeleton", tabindex: "0", role: "region", "aria-label": "The difference of the skeletons" }, ...data.skeletons.map(line)),
  ]);
}

function rankingSection() {
  const list = (labels) => (labels.length > 0 ? labels.join(", ") : "\u2013");
  return subsection(
    "ranking",
    "Ranking table",
    make("p", { class: "lead" }, "What each configuration of the published method calls suspicious; a small B-score is good evidence."),
    dataTable({
      caption: "Ranking table",
      columns: [
        { title: "Filter", value: (row) => row.filter, cell: (row) => make("code", {}, row.filter) },
        { title: "Attributes", value: (row) => row.attributes },
        { title: "Linkage", value: (row) => row.linkage },
        { title: "B-score", value: (row) => row.bscore, cell: (row) => (row.bscore === null ? "\u2013" : row.bscore.toFixed(3)), numeric: true },
        { title: "Top processes", value: (row) => list(row.processes) },
        { title: "Top threads", value: (row) => list(row.threads) },
      ],
      rows: data.configurations,
    }),
  );
}

const facts = [
  ["Name", (run) => make("code", {}, run.name)],
  ["Command", (run) => make("code", {}, run.command.join(" ") || "\u2013")],
  ["End", endText],
  ["Processes", (run) => `${grouped(run.processes)} (${Object.entries(run.ends).map(([how, count]) => `${grouped(count)} ${how}`).join(", ")})`],
  ["Traces", (run) => grouped(run.threads)],
  ["Events", (run) => grouped(run.events)],
  ["On disk", (run) => bytes(run.bytes)],
  ["Images traced", (run) => run.images ?? "\u2013"],
  ["Recorded by", (run) => `difftrace ${run.recorded_by ?? "?"}, codec ${run.codec ?? "?"}`],
  ["Problems", (run) => (run.problems.length > 0 ? make("ul", {}, ...run.problems.map((problem) => make("li", {}, problem))) : "none")],
];

function addRuns() {
  const head = make("tr", {}, make("td"), ...data.runs.map((run) => make("th", { scope: "col" }, `${run.role} run`)));
  const rows = facts.map(([name, fact]) => make("tr", {}, make("th", { scope: "row" }, name), ...data.runs.map((run) => make("td", {}, fact(run)))));
  const only = ["only_in_normal", "only_in_faulty"].filter((member) => data[member].length > 0).map((member) =>
    make("p", {}, `Traces ${member.replaceAll("_", " ").replace("in", "in the")} run: ${shortened(data[member].join(", "), 400)}`));
  const baselines = data.baselines.length > 0 ? make("p", {}, `Further normal runs: ${data.baselines.join(", ")}`) : "";
  addSection("runs", "The runs", `commands, ends, sizes, problems: ${data.runs.map((run) => `${grouped(run.events)} events`).join(" and ")}`, () => [make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Facts about the runs" }, make("table", { class: "facts" }, make("thead", {}, head), make("tbody", {}, ...rows))), ...only, baselines]);
}

/** All that is said of the method, behind one heading. */
function addMethod() {
  const row = data.configurations[0];
  const score = row && row.bscore !== null ? `, lowest B-score ${row.bscore.toFixed(3)}` : "";
  addSection("method", "Details of the method", `matrices, ranking table (${plural(data.configurations.length, "row")}${score}), lattices`,
    () => [viewsSection(), rankingSection(), latticeSection()]);
}

/* ---- what is selected ---- */

listeners.push((changed) => {
  const pressed = document.activeElement?.id === "arguments";
  if (changed.has("trace") || changed.has("args")) drawDetail();
  if (pressed) document.getElementById("arguments")?.focus({ preventScroll: true });
  if (changed.has("filter")) suspectsTable?.type?.(selection.filter);
});
markers.push(markRows);

function setUpSelection() {
  const step = (by) => () => goToNeighbour(by);
  addKey(["n", "j"], "the next suspect", step(1));
  addKey(["p", "k"], "the suspect before", step(-1));
  addKey(["a"], "with or without arguments", () => detailed.has(selection.trace) && select({ args: !selection.args }));
  addKey(["w"], "all of the difference, or its first part", () => {
    const whole = document.getElementById("whole");
    if (whole?.open) whole.open = false;
    else openWhole();
  });
  const views = [["h", "answer", "the answer"], ["d", "diff", "the difference"], ["s", "suspects", "suspects"], ["t", "timeline", "the timeline"],
    ["c", "stacks", "call stacks: where everybody is"], ["i", "icicle", "the call tree of both runs"], ["m", "method", "details of the method"], ["r", "runs", "the runs"]];
  for (const [key, view, does] of views) if (document.getElementById(viewElements[view] ?? view)) addKey([key], does, () => show({ view }));
  const given = stateOf(location.hash);
  const first = data.suspects[0]?.trace ?? data.differences[0]?.trace ?? null;
  const isKnown = given.trace !== undefined && (suspectOf.has(given.trace) || allTraces().has(given.trace));
  const trace = isKnown ? given.trace : first;
  apply({ args: detailed.has(trace), filter: "", ...given, trace, view: given.view ?? "answer" });
  if (given.view) goTo(given.view);
  addEventListener("hashchange", followAddress);
  addEventListener("popstate", followAddress);
}

addHead();
for (const [id, title] of [["answer", "Answer"], ["diff", "Difference"], ["next", "Next steps"], ["suspects", "Suspects"]]) addToNavigation(id, title);
if (document.getElementById("checks")) addToNavigation("checks", "Checks");
addSuspects();
addTimeline();
addTimes();
addStacks();
addIcicle();
addSkeletons();
addMethod();
addRuns();
setUpCommands();
setUpSearch();
setUpNames();
setUpTheme();
setUpSelection();
setUpKeys();
addEventListener("resize", redrawAll);
