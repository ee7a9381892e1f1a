/* The sections of the page, from the data. */

const data = JSON.parse(document.getElementById("data").textContent);
const byTrace = (list) => new Map((list ?? []).map((difference) => [difference.trace, difference]));
const differences = byTrace(data.differences);
const detailed = byTrace(data.detailed); /* with the arguments of calls */
let withArguments = false;

/* ---- theme ---- */

function setUpTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const toggle = document.getElementById("theme");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const show = () => {
    toggle.textContent = isDark() ? "Light theme" : "Dark theme";
    redrawAll();
  };
  toggle.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  dark.addEventListener("change", show);
  show();
  setUpPrinting();
}

/* On paper everything is light, whatever the screen is. */
function setUpPrinting() {
  const root = document.documentElement;
  let onScreen;
  const use = (theme) => {
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const redraw of redraws) redraw();
  };
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    use("light");
  });
  addEventListener("afterprint", () => use(onScreen));
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
  const names = data.normal === null ? [data.faulty] : [data.normal, data.faulty];
  document.title = `${names.join(" and ")}: difftrace`;
  document.getElementById("run-names").textContent = names.join(" \u2192 ");
  const rest = (data.verdict ?? "No verdict").split("; ");
  let head = rest.shift();
  while (head.length < 50 && rest.length > 0) head += `; ${rest.shift()}`;
  const verdict = document.getElementById("verdict");
  verdict.textContent = head;
  if (rest.length > 0) verdict.after(make("p", { class: "verdict-rest" }, rest.join("; ")));
  const strong = data.suspects.filter((suspect) => suspect.level === "suspect").length;
  const figure = (value, label) => make("li", {}, make("b", {}, value), " ", label);
  const faulty = data.runs[data.runs.length - 1];
  const figures = [figure(grouped(strong), strong === 1 ? "suspect" : "suspects")];
  if (data.suspects.length > strong) figures.push(figure(grouped(data.suspects.length - strong), "with weak evidence"));
  figures.push(figure(grouped(data.views[0]?.traces ?? 0), "traces compared"), figure("", `faulty run: ${endText(faulty)}`));
  for (const [member, label] of [["only_in_normal", "only in the normal run"], ["only_in_faulty", "only in the faulty run"]])
    if (data[member].length > 0) figures.push(figure(grouped(data[member].length), `${data[member].length === 1 ? "trace" : "traces"} ${label}`));
  document.getElementById("figures").append(...figures);
  document.getElementById("footer").textContent = `Made by difftrace ${data.difftrace}. Everything is in this file: it loads nothing.`;
}

/* ---- suspects and their differences ---- */

const detail = make("div", { id: "detail", class: "detail" });
let current = null;
const rowsByTrace = new Map();

function statusBadge(suspect) {
  return make("span", { class: `badge ${suspect.status}` }, suspect.status);
}

function scoreCell(suspect) {
  const meter = make("span", { class: "meter", "aria-hidden": "true" });
  meter.style.setProperty("--share", `${100 * suspect.score}%`);
  return make("span", { class: "score" }, suspect.score.toFixed(2), meter);
}

/* Others that depart in the same way. */
function groupNote(suspect) {
  const others = data.suspects.filter((other) => other.group === suspect.group && other.trace !== suspect.trace);
  if (others.length === 0 || suspect.group === 0) return null;
  const names = shortened(others.map((other) => other.trace).join(", "), 120);
  return make("p", {}, `${plural(others.length, "other trace departs", "other traces depart")} in the same way: ${names}`);
}

function differenceNodes(suspect) {
  const difference = differences.get(suspect.trace);
  if (!difference) {
    const why =
      data.normal === null
        ? "There was no normal run to compare with."
        : suspect.status === "missing" || data.only_in_faulty.includes(suspect.trace)
          ? "The trace is in one of the runs only."
          : "This page shows how the most suspicious traces differ; see this one with:";
    return [make("p", {}, why), make("pre", {}, `difftrace diffnlr ${suspect.trace}`)];
  }
  return [argumentsToggle(suspect) ?? "", alignment(suspect)];
}

/* The alignment itself, by names or by names and arguments. */
function alignment(suspect) {
  const difference = (withArguments && detailed.get(suspect.trace)) || differences.get(suspect.trace);
  const note = difference.minimal ? "" : " They are thousands of edits apart; the alignment need not be the shortest.";
  return make("div", { id: "alignment" },
    make("p", {}, difference.first_difference ? make("span", {}, "First difference: ", make("b", {}, difference.first_difference), ". ") : "",
      "Calls kept by filter ", make("code", {}, data.foldings[difference.folding].filter), ".", note),
    changesTable(difference) ?? "",
    differenceLegend(),
    diffTable(data, difference),
  );
}

function argumentsToggle(suspect) {
  if (!detailed.has(suspect.trace)) return null;
  const toggle = button("Arguments of calls", () => {
    withArguments = !withArguments;
    toggle.setAttribute("aria-pressed", String(withArguments));
    document.getElementById("alignment").replaceWith(alignment(suspect));
  }, { id: "arguments", class: "quiet", "aria-pressed": String(withArguments) });
  return make("p", {}, toggle);
}

/** What the difference comes to, in calls. */
function changesTable(difference) {
  const { changes, changed_functions: all } = difference;
  if (!changes || changes.length === 0) return null;
  const line = ([index, normal, faulty]) =>
    make("tr", {}, make("th", { scope: "row" }, make("code", {}, data.functions[index]), sourceOf(data, index)),
      make("td", { class: "numeric" }, grouped(normal)), make("td", { class: "numeric" }, grouped(faulty)));
  const heading = (text) => make("th", { scope: "col" }, text);
  return make("table", { class: "changes" },
    make("caption", {}, "What changed: calls where the runs differ"),
    make("thead", {}, make("tr", {}, heading("Function"), heading("Normal"), heading("Faulty"))),
    make("tbody", {}, ...changes.map(line)),
    all > changes.length ? make("tfoot", {}, make("tr", {}, make("td", { colspan: "3" }, `and ${plural(all - changes.length, "more function")}`))) : "");
}

function neighbour(suspect, step) {
  return data.suspects[data.suspects.indexOf(suspect) + step];
}

function openSuspect(suspect, focus = true) {
  for (const trace of [current?.trace, suspect.trace]) {
    const selected = trace === suspect.trace;
    rowsByTrace.get(trace)?.toggleAttribute("data-selected", selected);
    rowsByTrace.get(trace)?.querySelector("button").setAttribute("aria-pressed", String(selected));
  }
  current = suspect;
  const heading = make("h3", { tabindex: "-1" }, `How trace ${suspect.trace} differs `, statusBadge(suspect));
  const step = (text, target) => button(text, () => openSuspect(target), { class: "quiet", disabled: target ? null : "" });
  detail.replaceChildren(
    make("div", { class: "detail-head" }, heading,
      make("div", { class: "detail-steps" }, step("Previous", neighbour(suspect, -1)), step("Next", neighbour(suspect, 1)))),
    make("ul", { class: "why" }, ...suspect.why.split("; ").filter((reason) => reason !== suspect.status).map((reason) => make("li", {}, reason))),
    groupNote(suspect) ?? "",
    ...differenceNodes(suspect),
  );
  if (!focus) return;
  heading.focus({ preventScroll: true });
  detail.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function addSuspects() {
  if (data.suspects.length === 0) {
    addSection("suspects", "Suspects", make("p", {}, "No trace departs from normal."));
    return;
  }
  const open = (suspect) => button(suspect.trace, () => openSuspect(suspect), { class: "trace", "aria-pressed": String(suspect === current), title: "Show how it differs" });
  const table = dataTable({
    caption: "Suspects",
    columns: [
      { title: "Trace", value: (row) => row.trace, cell: open },
      { title: "Score", value: (row) => row.score, cell: scoreCell, numeric: true, descendingFirst: true },
      { title: "Level", value: (row) => row.level },
      { title: "Status", value: (row) => row.status, cell: statusBadge },
      { title: "Why", value: (row) => row.why, class: "wide" },
    ],
    rows: data.suspects,
    row: (suspect, line) => {
      rowsByTrace.set(suspect.trace, line);
      line.toggleAttribute("data-selected", suspect === current);
    },
  });
  addSection("suspects", "Suspects", table, detail);
  openSuspect(data.suspects[0], false);
}

/* ---- the other sections ---- */

function addStacks() {
  addSection(
    "stacks",
    "Where everybody is",
    make("p", { class: "lead" }, `The call stacks at the end of the faulty run, merged: ${plural(data.stacks.traces, "trace")}. The bar is the share of them.`),
    stackTree(data.stacks),
  );
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

function viewCard(view) {
  const title = viewTitles[view.of];
  const map = new HeatMap(view, title);
  const card = make("div", { class: "card" });
  const enlarge = button("Enlarge", () => {
    const large = card.toggleAttribute("data-large");
    enlarge.textContent = large ? "Reduce" : "Enlarge";
    map.draw();
  }, { class: "quiet", "aria-label": `Enlarge or reduce: ${title}` });
  const note = view.tiles.length < view.traces ? make("p", { class: "note" }, `${grouped(view.traces)} traces in ${grouped(view.tiles.length)} clusters of alike ones.`) : null;
  card.append(make("div", { class: "card-head" }, make("h3", {}, title), enlarge), note ?? "", map.figure);
  if (view.tiles.length <= 40) {
    const table = make("details", { ontoggle: () => table.childElementCount === 1 && table.append(matrixTable(map)) }, make("summary", {}, "As a table"));
    card.append(table);
  }
  return card;
}

function addViews() {
  const { filter, attributes, linkage } = data.configuration;
  addSection(
    "similarity",
    "Similarity and clusters",
    make("p", { class: "lead" }, "How alike the traces are, ordered by their clustering, which is drawn above. The best row of the ranking table: filter ",
      make("code", {}, filter), ", attributes ", make("code", {}, attributes), ", linkage ", make("code", {}, linkage), ". ",
      make("span", { class: "suspicious-key" }, "\u25b8 bold"), " marks the clusters that the published ranking calls suspicious."),
    make("div", { class: "cards" }, ...data.views.map(viewCard)),
  );
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

function addLattices() {
  const entries = data.lattices.map((lattice) =>
    make("details", { open: lattice.of === "faulty" ? "" : null }, make("summary", {}, `The ${lattice.of} run`),
      lattice.svg ? latticePicture(lattice) : make("p", {}, `Not drawn here: ${lattice.note}.`)));
  addSection("lattice", "Lattice",
    make("p", { class: "lead" }, "Which traces share which calls: from all traces at the top down to those with most in common."), ...entries);
}

const lineMarks = { same: " ", first: "-", second: "+", changed: "~" };

/** How what all ranks do to communicate differs. */
function addSkeletons() {
  if (!data.skeletons) return;
  const count = (of) => data.skeletons.filter((line) => line.of === of).length;
  const lead = count("same") === data.skeletons.length
    ? "What all ranks do to communicate is the same in both runs."
    : `What all ranks do to communicate, as one text: ${plural(count("first"), "line")} of the normal run alone (-), ` +
      `${count("second")} of the faulty run (+), ${count("changed")} with other values (~).`;
  const line = ({ of, text }) => make("span", { class: of }, `${lineMarks[of]} ${text}\n`);
  addSection("skeletons", "Skeletons", make("p", { class: "lead" }, lead),
    make("pre", { class: "skeleton", tabindex: "0", role: "region", "aria-label": "The difference of the skeletons" }, ...data.skeletons.map(line)));
}

function addRanking() {
  const list = (labels) => (labels.length > 0 ? labels.join(", ") : "\u2013");
  addSection(
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
  addSection("runs", "The runs", make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Facts about the runs" }, make("table", { class: "facts" }, make("thead", {}, head), make("tbody", {}, ...rows))), ...only, baselines);
}

addHead();
addSuspects();
addTimeline();
addTimes();
addStacks();
addSkeletons();
addViews();
addRanking();
addLattices();
addRuns();
setUpTheme();
addEventListener("resize", redrawAll);
