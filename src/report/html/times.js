/* Functions and ranks by their times: tables, and a matrix of who sends to, and waits for, whom. */

const durationCell = (ns) => (ns === null || ns === undefined ? "\u2013" : duration(ns));

/* ---- functions ---- */

function profileColumns(times) {
  const names = new Map(times.runs.map((run) => [run.of, run]));
  const labels = times.rows;
  const time = (of, title) => ({
    title, numeric: true, descendingFirst: true, value: (row) => row[of]?.ns ?? null, cell: (row) => durationCell(row[of]?.ns),
  });
  const told = (of) => ({
    title: `${of}: told`, numeric: true, descendingFirst: true, value: (row) => (row[of] ? Math.round((100 * row[of].told) / Math.max(row[of].ns, 1)) : null),
    cell: (row) => (row[of] ? `${Math.round((100 * row[of].told) / Math.max(row[of].ns, 1))} %` : "\u2013"),
  });
  const most = (of) => ({
    title: `${of}: most in`, value: (row) => (row[of] ? labels[row[of].most] : null),
    cell: (row) => (row[of] ? `${labels[row[of].most]} (${duration(row[of].most_ns)})` : "\u2013"),
  });
  const columns = [{ title: "Function", value: (row) => row.function, cell: (row) => nameNode(row.function) }];
  for (const of of names.keys()) columns.push(time(of, `${of} run`));
  if (names.size === 2) {
    const difference = (row) => (row.faulty?.ns ?? 0) - (row.normal?.ns ?? 0);
    columns.push({ title: "Difference", numeric: true, descendingFirst: true, value: difference, cell: (row) => `${difference(row) > 0 ? "+" : ""}${duration(difference(row))}` });
  }
  for (const of of names.keys()) columns.push(told(of));
  for (const of of names.keys()) columns.push(most(of));
  return columns;
}

function addProfile(times) {
  const rest = times.functions_of_all - times.functions.length;
  addSection("profile", "Times of functions", `${plural(times.functions_of_all, "function")}, by what each took itself`, () => [
    make("p", { class: "lead" }, "What each function took by itself, in all threads together: without what it called. Told is the share of it that lies between two recorded times of its own; " +
      "the rest is estimated. Most in: the thread in which it took longest."),
    dataTable({ caption: "Times of functions", columns: profileColumns(times), rows: times.functions }),
    rest > 0 ? make("p", { class: "note" }, `${plural(rest, "more function")} took less: difftrace times --by=function`) : null,
  ]);
}

/* ---- who sends to whom, and waits for whom ---- */

const quantities = [
  { name: "wait", title: "Waited for", part: 2, say: (value) => duration(value), text: duration },
  { name: "messages", title: "Messages", part: 0, say: (value) => plural(value, "message"), text: grouped },
  { name: "bytes", title: "Bytes sent", part: 1, say: bytes, text: grouped },
];

class LinkMatrix {
  constructor(links, of) {
    this.links = links;
    this.n = links.blocks.length;
    this.of = of;
    this.quantity = quantities[0];
    this.cursor = null;
    this.canvas = make("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "matrix",
      onmousemove: (event) => this.point(event), onmouseleave: () => this.move(null),
      onkeydown: (event) => this.key(event), onblur: () => this.move(null),
    });
    this.readout = make("p", { class: "readout", role: "status" });
    this.scale = make("p", { class: "scale" });
    this.table = make("details", { ontoggle: () => this.fillTable() }, make("summary", {}, "As a table"));
    this.figure = make("div", { class: "heatmap" }, this.canvas, this.readout, this.scale, this.table);
    this.choose(quantities[0], of);
    redraws.push(() => this.draw());
  }

  cellsOf(of) {
    const cells = new Float64Array(this.n * this.n);
    const list = this.links[of] ?? [];
    for (let i = 0; i < list.length; i += 5) cells[list[i] * this.n + list[i + 1]] = list[i + 2 + this.quantity.part];
    return cells;
  }

  choose(quantity, of) {
    this.quantity = quantity;
    this.of = of;
    const cells = this.cellsOf(of === "difference" ? "faulty" : of);
    if (of === "difference") this.cellsOf("normal").forEach((value, i) => { cells[i] -= value; });
    this.values = cells;
    this.most = cells.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    this.canvas.setAttribute("aria-label", `${quantity.title}, ${of}; rows: ${quantity.name === "wait" ? "who waited" : "senders"}; arrow keys move from cell to cell`);
    this.fillScale();
    this.draw();
    this.say();
    this.fillTable();
  }

  /* A difference has no change in the middle of the colours. */
  place(value) {
    if (this.most === 0) return this.of === "difference" ? 0.5 : 0;
    return this.of === "difference" ? 0.5 + value / this.most / 2 : value / this.most;
  }

  fillScale() {
    const stops = cividis.map((_, i) => `rgb(${cividis[i]})`).join(", ");
    const bar = make("span", { class: "scale-bar", "aria-hidden": "true" });
    bar.style.backgroundImage = `linear-gradient(to right, ${stops})`;
    if (this.most === 0) {
      this.scale.replaceChildren(this.of === "difference" ? "The runs do not differ." : "There are none.");
      return;
    }
    const least = this.of === "difference" ? this.quantity.text(-this.most) : "0";
    this.scale.replaceChildren(least, bar, this.quantity.text(this.most));
  }

  draw() {
    const width = this.figure.clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.gutter = 14 + 6 * Math.max(...this.links.blocks.map((label) => label.length));
    this.cell = Math.min((width - this.gutter - 2) / this.n, 30);
    const side = this.gutter + this.cell * this.n + 2;
    Object.assign(this.canvas, { width: Math.round(side * ratio), height: Math.round(side * ratio) });
    Object.assign(this.canvas.style, { width: `${side}px`, height: `${side}px` });
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    for (let i = 0; i < this.n * this.n; i++) {
      const [row, column] = [Math.floor(i / this.n), i % this.n];
      context.fillStyle = `rgb(${scaleColour(this.place(this.values[i]))})`;
      context.fillRect(this.gutter + column * this.cell, this.gutter + row * this.cell, this.cell + 0.3, this.cell + 0.3);
    }
    this.labels(context);
    if (this.cursor === null) return;
    context.strokeStyle = "#ffffff";
    context.lineWidth = 2;
    context.strokeRect(this.gutter + this.cursor[1] * this.cell, this.gutter + this.cursor[0] * this.cell, Math.max(this.cell, 3), Math.max(this.cell, 3));
  }

  labels(context) {
    const every = Math.ceil(11 / this.cell);
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = themeColour("--text");
    context.textBaseline = "middle";
    for (let i = 0; i < this.n; i += every) {
      const middle = this.gutter + (i + 0.5) * this.cell;
      context.textAlign = "right";
      context.fillText(this.links.blocks[i], this.gutter - 4, middle);
      context.save();
      context.translate(middle, this.gutter - 4);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(this.links.blocks[i], 0, 0);
      context.restore();
    }
  }

  point(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - left - this.gutter) / this.cell);
    const row = Math.floor((event.clientY - top - this.gutter) / this.cell);
    this.move(row >= 0 && column >= 0 && row < this.n && column < this.n ? [row, column] : null);
  }

  key(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -this.n], End: [0, this.n] }[event.key];
    if (!step) return;
    event.preventDefault();
    const clamp = (value) => Math.min(Math.max(value, 0), this.n - 1);
    this.move(this.cursor === null ? [0, 0] : this.cursor.map((place, i) => clamp(place + step[i])));
  }

  move(cursor) {
    if (String(cursor) === String(this.cursor)) return;
    this.cursor = cursor;
    this.draw();
    this.say();
  }

  say() {
    if (this.cursor === null) {
      this.readout.textContent = "Point at a cell, or use the arrow keys, to read its value.";
      return;
    }
    const [row, column] = this.cursor.map((place) => `rank ${this.links.blocks[place]}`);
    const value = this.values[this.cursor[0] * this.n + this.cursor[1]];
    const words = this.of === "difference" ? `${value > 0 ? "+" : ""}${this.quantity.text(value)}` : this.quantity.say(value);
    this.readout.textContent = this.quantity.name === "wait" ? `${row} waited for ${column}: ${words}` : `${row} to ${column}: ${words}`;
  }

  fillTable() {
    if (!this.table.open) return;
    const rows = [];
    this.values.forEach((value, i) => {
      if (value !== 0) rows.push({ from: this.links.blocks[Math.floor(i / this.n)], to: this.links.blocks[i % this.n], value });
    });
    rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const [from, to] = this.quantity.name === "wait" ? ["Waited", "For"] : ["From", "To"];
    this.table.replaceChildren(this.table.firstChild, dataTable({
      caption: `${this.quantity.title}, ${this.of}`,
      columns: [
        { title: from, value: (row) => row.from },
        { title: to, value: (row) => row.to },
        { title: this.quantity.title, value: (row) => row.value, cell: (row) => this.quantity.text(row.value), numeric: true, descendingFirst: true },
      ],
      rows,
    }));
  }
}

function linkMatrix(times) {
  const present = times.runs.map((run) => run.of);
  const shown = present.length === 2 ? [...present, "difference"] : present;
  const map = new LinkMatrix(times.links, shown[shown.length - 1]);
  const choice = (label, options, act) => {
    const select = make("select", { onchange: () => act(select.value) }, ...options.map(([value, text]) => make("option", { value }, text)));
    return make("label", {}, `${label} `, select);
  };
  const what = choice("Show", quantities.map(({ name, title }) => [name, title]), (name) => map.choose(quantities.find((each) => each.name === name), map.of));
  const of = choice("of", shown.toReversed().map((name) => [name, name === "difference" ? "the difference, faulty less normal" : `the ${name} run`]), (name) => map.choose(map.quantity, name));
  return make("div", { class: "link-matrix" }, make("div", { class: "timeline-tools" }, what, of), map.figure);
}

/* ---- for whom everybody waited most ---- */

function waitersTable(times, of) {
  const ring = (row) => (row.ring > 0 ? `ring ${row.ring}` : "");
  return make("div", {}, make("h3", {}, `The ${of} run`), dataTable({
    caption: `For whom each rank waited most, ${of} run`,
    columns: [
      { title: "Rank", value: (row) => row.rank },
      { title: "Waited", value: (row) => row.ns, cell: (row) => duration(row.ns), numeric: true, descendingFirst: true },
      { title: "Most for", value: (row) => row.most },
      { title: "For it", value: (row) => row.most_ns, cell: (row) => duration(row.most_ns), numeric: true, descendingFirst: true },
      { title: "Ring", value: ring },
    ],
    rows: times.most_waited[of],
  }));
}

function waitGraph({ of, svg }) {
  const holder = latticePicture({ of, svg });
  holder.setAttribute("aria-label", `For whom each rank waited most, ${of} run, drawn`);
  holder.firstChild.setAttribute("aria-label", `For whom each rank waited most, ${of} run; the table has the same`);
  return holder;
}

function addLinks(times) {
  const blocks = times.links.ranks > times.links.blocks.length ? ` ${plural(times.links.ranks, "rank")} in ${times.links.blocks.length} blocks of neighbours.` : "";
  const graphs = Object.entries(times.most_waited_graphs).map(([of, svg]) => ({ of, svg }));
  addSection("links", "Messages and waits", "who sent how much to whom, and who waited for whom", () => {
    const holder = make("div", { class: "lazy-matrix" });
    whenSeen(holder, () => {
      holder.append(linkMatrix(times));
      redrawAll();
    });
    return [
      make("p", { class: "lead" }, `Rows: senders, or those who waited.${blocks}`), holder,
      make("h3", {}, "For whom everybody waited most"),
      make("p", { class: "lead" }, "Ranks in a ring waited for each other; behind everybody else stands who came late."),
      ...graphs.map((graph) => make("details", {}, make("summary", {}, `Drawn: the ${graph.of} run`), waitGraph(graph))),
      make("div", { class: "cards" }, ...Object.keys(times.most_waited).map((of) => waitersTable(times, of))),
    ];
  });
}

function addTimes() {
  if (!data.timelines) return;
  addProfile(data.timelines);
  const { normal, faulty } = data.timelines.links;
  if (normal?.length > 0 || faulty?.length > 0) addLinks(data.timelines);
}
