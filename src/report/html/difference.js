/*
 * A diffNLR: what both runs did down the middle, what one of them did left and
 * right. Loops unfold; long stretches are folded and come back a part at a time.
 */

const commonShown = 3; /* of a common stretch at either end */
const changeShown = 40;
const rowsAtOnce = 400;

function sourceOf(data, index) {
  const source = data.sources?.[index];
  return source ? make("span", { class: "source" }, source) : null;
}

/** One element: a function, a loop that unfolds, or so many that the page leaves out. */
function elementNode(data, folding, element) {
  if (Array.isArray(element)) return loopNode(data, folding, element);
  if (element < 0) return make("em", {}, `${plural(-element, "element")} left out here: difftrace diffnlr has all`);
  return make("span", {}, nameNode(data.functions[element]), sourceOf(data, element));
}

function bodyText(data, folding, body) {
  const parts = [];
  for (const element of data.foldings[folding].bodies[body].slice(0, 8)) {
    if (Array.isArray(element)) parts.push(`L${element[0]}\u00d7${element[1] || "*"}`);
    else parts.push(element < 0 ? "\u2026" : brief(data.functions[element], 40));
  }
  return shortened(parts.join(" "), 80);
}

function loopNode(data, folding, [body, count]) {
  const inner = make("div", { class: "loop-body", hidden: "" });
  const toggle = button("", () => {
    const open = toggle.getAttribute("aria-expanded") === "true";
    if (!open && !inner.hasChildNodes()) {
      inner.append(
        make("ol", {}, ...data.foldings[folding].bodies[body].map((element) => make("li", {}, elementNode(data, folding, element)))),
      );
    }
    toggle.setAttribute("aria-expanded", String(!open));
    inner.hidden = open;
  }, { class: "loop", "aria-expanded": "false", "data-folding": folding, "data-body": body });
  toggle.append(make("b", {}, `L${body} \u00d7 ${count ? grouped(count) : "*"}`), make("span", { class: "loop-preview" }, bodyText(data, folding, body)));
  return make("span", { class: "loop-holder" }, toggle, inner);
}

const sides = {
  common: { sign: "=", name: "both runs" },
  normal: { sign: "\u2212", name: "normal run only" },
  faulty: { sign: "+", name: "faulty run only" },
};

function box(side, content, extra = "") {
  return make(
    "div",
    { class: `box ${side} ${extra}` },
    make("span", { class: "sign", "aria-hidden": "true" }, sides[side].sign),
    make("span", { class: "unseen" }, `${sides[side].name}: `),
    content,
  );
}

/* Rows are [common] or [normal, faulty], each an element, undefined, or a function that makes the cell. */
function blockRows(block) {
  if (block.common) return block.common.map((element) => [element]);
  const length = Math.max(block.normal.length, block.faulty.length);
  return Array.from({ length }, (_, i) => [block.normal[i], block.faulty[i]]);
}

function endNode(data, open) {
  return open === null ? make("em", {}, "end of the trace") : make("strong", {}, "\u25a0 ", nameNode(data.functions[open]), " never returned");
}

function endRows(difference, data) {
  const end = (open) => endNode(data, open);
  const { normal_open: normal, faulty_open: faulty } = difference;
  return normal === faulty ? [[() => end(normal)]] : [[() => end(normal), () => end(faulty)]];
}

function diffTable(data, difference) {
  const body = make("tbody");
  const { folding } = difference;

  const content = (item) => (typeof item === "function" ? item() : elementNode(data, folding, item));
  const cell = (side, item) => {
    const stop = typeof item === "function" ? "end" : "";
    return make("td", {}, item === undefined ? null : box(side, content(item), stop));
  };
  function rowNode(items, first) {
    const line = make("tr", { class: first ? "first" : null });
    if (items.length === 1) {
      line.append(cell("common", items[0]));
      line.firstChild.colSpan = 2;
    } else {
      line.append(cell("normal", items[0]), cell("faulty", items[1]));
    }
    return line;
  }

  /* So many rows behind a button; a press shows the next part of them. */
  function foldRow(rows) {
    const common = rows[0].length === 1;
    const text = `\u2026 ${grouped(rows.length)} more ${common ? "in both runs" : "that differ"} \u2026`;
    const open = button(text, () => {
      const lines = rows.slice(0, rowsAtOnce).map((items) => rowNode(items, false));
      if (rows.length > rowsAtOnce) lines.push(foldRow(rows.slice(rowsAtOnce)));
      line.replaceWith(...lines);
      (lines[0].querySelector("button") ?? lines[0].cells[0]).focus({ preventScroll: true });
    }, { class: "fold" });
    const line = make("tr", {}, make("td", { colspan: "2" }, open));
    return line;
  }

  function blockNodes(rows) {
    const common = rows[0].length === 1;
    const head = common ? commonShown : changeShown;
    const tail = common ? commonShown : 3;
    const nodes = (part, from) => part.map((items, i) => rowNode(items, from + i === 0));
    if (rows.length <= head + tail + 2) return nodes(rows, 0);
    return [...nodes(rows.slice(0, head), 0), foldRow(rows.slice(head, -tail)), ...nodes(rows.slice(-tail), 1)];
  }

  /* Blocks are drawn until there are enough rows; the next ones when they come into sight or are asked for. */
  const blocks = [...difference.blocks.map(blockRows).filter((rows) => rows.length > 0), endRows(difference, data)];
  let drawn = 0;
  const next = button("", () => drawMore(), { class: "fold" });
  const nextRow = make("tr", {}, make("td", { colspan: "2" }, next));
  function drawMore() {
    const lines = [];
    for (; drawn < blocks.length && lines.length < rowsAtOnce; drawn++) lines.push(...blockNodes(blocks[drawn]));
    nextRow.remove();
    body.append(...lines);
    if (drawn === blocks.length) return;
    next.textContent = `\u2026 ${plural(blocks.length - drawn, "more stretch", "more stretches")} \u2026`;
    body.append(nextRow);
  }
  drawMore();
  if (drawn < blocks.length) {
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && drawn < blocks.length) drawMore();
    }, { rootMargin: "600px" }).observe(nextRow);
  }

  const [normal, faulty] = [data.normal, data.faulty];
  return make(
    "table",
    { class: "diff" },
    make("caption", { class: "unseen" }, `diffNLR of trace ${difference.trace}`),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "normal: ", make("code", {}, normal)), make("th", { scope: "col" }, "faulty: ", make("code", {}, faulty)))),
    body,
  );
}

function differenceLegend() {
  const entry = (side) => make("li", {}, box(side, sides[side].name));
  return make("ul", { class: "legend" }, entry("common"), entry("normal"), entry("faulty"));
}
