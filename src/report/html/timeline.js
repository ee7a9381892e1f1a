/*
 * Where the time went, over time: a row a thread or a group of them, the normal run above the faulty one. Only what is
 * visible is drawn: of any stretch the shares are known from sums up to its ends, and rows that are many become groups.
 */

const mostLines = 64; /* rows that can still be read */
const arrowsShown = 150;
const cellParts = 15;
const cellAbsent = 255;
const stateColours = { waiting: "#8f1d14", in_calls: "#4c97d8", own: "#d5e8cf" }; /* grey: 55, 141, 224 of 255 */
const stateNames = { own: "own code", in_calls: "in calls of MPI, OpenMP, pthreads", waiting: "waiting for others, or never returned" };

function duration(ns) {
  const size = Math.abs(ns);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
  const value = ns / unit;
  return `${Number(value.toPrecision(3)).toString().replace("-", "\u2212")} ${name}`;
}

/* What a cell adds to a sum: threads that are there, in calls, waiting, as one number of 16 + 18 + 18 bits. */
const callsUnit = 2 ** 18;
const presentUnit = 2 ** 36;
const addends = Float64Array.from({ length: 256 }, (_, cell) =>
  cell === cellAbsent ? 0 : presentUnit + (cell >> 4) * callsUnit + (cell & 15));

/** Sums from the left of what each cell holds: [in calls, waiting, there], each a column longer than the cells. */
function sumCells(bytes, columns, rows) {
  const cells = new Float64Array(columns);
  for (const row of rows) {
    const first = row * columns;
    for (let i = 0; i < columns; i++) cells[i] += addends[bytes[first + i]];
  }
  const [calls, waiting, present] = [0, 1, 2].map(() => new Uint32Array(columns + 1));
  for (let i = 0; i < columns; i++) {
    const there = Math.floor(cells[i] / presentUnit);
    const rest = cells[i] - there * presentUnit;
    const inCalls = Math.floor(rest / callsUnit);
    calls[i + 1] = calls[i] + inCalls;
    waiting[i + 1] = waiting[i] + rest - inCalls * callsUnit;
    present[i + 1] = present[i] + there * cellParts;
  }
  return [calls, waiting, present];
}

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** "0-3, 5" of the names of rows that follow each other. */
function namesOf(rows, labels) {
  const parts = [];
  for (let i = 0; i < rows.length; i++) {
    let last = i;
    while (last + 1 < rows.length && rows[last + 1] === rows[last] + 1) last++;
    parts.push(last > i ? `${labels[rows[i]]}\u2013${labels[rows[last]]}` : labels[rows[i]]);
    i = last;
    if (parts.length === 8 && i + 1 < rows.length) return `${parts.join(", ")}, \u2026`;
  }
  return parts.join(", ");
}

/** Rows of the page's data as lines of the picture: threads, classes of them, or groups of neighbours. */
class TimelineRows {
  constructor(times) {
    this.times = times;
    const threads = times.rows.map((label) => label.split(".")[0]);
    this.labels = new Set(threads).size === threads.length ? threads : times.rows;
    this.runs = times.runs.map((run) => ({ ...run }));
    this.byClass = Array.from({ length: times.classes }, () => []);
    times.class_of.forEach((own, row) => this.byClass[own].push(row));
  }

  /* Cells are decoded when they are first looked at. */
  cells(run, kind) {
    if (!run[`${kind}_bytes`]) run[`${kind}_bytes`] = bytesOf(run[kind].cells);
    return run[`${kind}_bytes`];
  }

  /** Sums that the next click needs, some at a time while nothing else is to be done. */
  prepare() {
    const waiting = [...this.all(), ...this.classes().slice(0, 8).flatMap((line) => this.inside(line))];
    const next = (deadline) => {
      do {
        const line = waiting.shift();
        if (line) this.runs.forEach((_, place) => this.sums(line, place));
      } while (waiting.length > 0 && deadline.timeRemaining() > 4);
      if (waiting.length > 0) requestIdleCallback(next);
    };
    requestIdleCallback(next);
  }

  sums(line, place) {
    const run = this.runs[place];
    if (!line.sums[place]) {
      const [kind, rows] = line.own === undefined ? ["rows", line.rows] : ["classes", [line.own]];
      line.sums[place] = sumCells(this.cells(run, kind), run[kind].columns, rows);
    }
    return line.sums[place];
  }

  line(rows, own) {
    const name = rows.length === 1 ? this.labels[rows[0]] : namesOf(rows, this.labels);
    const rest = this.times.remainder && own === this.times.classes - 1;
    return { rows, own, sums: [], name: rest ? `others: ${name}` : name };
  }

  classes() {
    this.classLines ??= this.byClass.map((rows, own) => this.line(rows, own)).filter((line) => line.rows.length > 0);
    return this.classLines;
  }

  all() {
    this.allLines ??= this.within(this.times.rows.map((_, row) => row));
    return this.allLines;
  }

  inside(line) {
    line.inside ??= line.rows.length > 1 ? this.within(line.rows) : [];
    return line.inside;
  }

  /** Threads, or as many groups of neighbours as can be read. */
  within(rows) {
    const each = Math.ceil(rows.length / mostLines);
    const lines = [];
    for (let i = 0; i < rows.length; i += each) lines.push(this.line(rows.slice(i, i + each)));
    return lines;
  }

  /** {least, most} of the shares of waiting of nine of ten of a line's threads, in the whole run. */
  spread(line, place) {
    line.spreads ??= [];
    if (!line.spreads[place]) {
      const run = this.runs[place];
      const shares = line.rows.filter((row) => run.present[row] > 0).map((row) => run.waiting[row] / run.present[row]).sort((a, b) => a - b);
      const cut = Math.floor(shares.length / 20);
      line.spreads[place] = { least: shares[cut] ?? 0, most: shares[shares.length - 1 - cut] ?? 0 };
    }
    return line.spreads[place];
  }

  /** The cells of a run between two moments: [first, last). */
  cellsBetween(place, columns, from, to) {
    const run = this.runs[place];
    const begin = ((from - run.begin) / run.span) * columns;
    const end = ((to - run.begin) / run.span) * columns;
    if (end <= 0 || begin >= columns) return [0, 0];
    const first = Math.max(0, Math.floor(begin));
    return [first, Math.min(columns, Math.max(first + 1, Math.round(end)))];
  }

  /** {in_calls, waiting, own} of a line in a run between two moments, as shares; null: none of it was there. */
  shares(line, place, from, to) {
    const [calls, waiting, present] = this.sums(line, place);
    const [first, last] = this.cellsBetween(place, calls.length - 1, from, to);
    const there = present[last] - present[first];
    if (there === 0) return null;
    const shares = { in_calls: (calls[last] - calls[first]) / there, waiting: (waiting[last] - waiting[first]) / there };
    shares.own = 1 - shares.in_calls - shares.waiting;
    return shares;
  }
}

const rgbOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const packed = ([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red;
const packedStates = ["own", "in_calls", "waiting"].map((state) => packed(rgbOf(stateColours[state])));
const packedScale = Array.from({ length: 256 }, (_, value) => packed(scaleColour(value / 255)));

class Timeline {
  constructor(times) {
    this.rows = new TimelineRows(times);
    this.lines = [];
    this.back = [];
    this.selected = 0;
    this.shown = "states";
    this.span = [Math.min(...this.rows.runs.map((run) => run.begin)), Math.max(...this.rows.runs.map((run) => run.begin + run.span))];
    this.canvas = make("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "timeline",
      "aria-label": "Timeline of the runs; plus and minus zoom, left and right move, up and down choose a row, Enter opens it, Escape goes back, Home shows all; the table below has the same in numbers",
      onwheel: (event) => this.wheel(event),
      onpointerdown: (event) => this.press(event),
      onpointermove: (event) => this.drag(event),
      onpointerup: (event) => this.release(event),
      onpointerleave: () => this.point(null),
      ondblclick: () => this.open(),
      onkeydown: (event) => this.key(event),
    });
    this.readout = make("p", { class: "readout", role: "status" });
    this.tools = this.makeTools();
    this.table = make("details", { ontoggle: () => this.fillTable() }, make("summary", {}, "As a table"));
    this.figure = make("div", { class: "timeline" }, this.tools, this.legend(), this.canvas, this.readout, this.table);
    this.perClass = times.rows.length > mostLines;
    this.show(this.top());
    const departing = times.rows.indexOf(times.departing ?? "");
    this.selected = Math.max(0, this.lines.findIndex((line) => line.rows.includes(departing)));
    this.home();
    redraws.push(() => this.draw());
  }

  top() {
    return this.perClass ? this.rows.classes() : this.rows.all();
  }

  /* ---- around the picture ---- */

  makeTools() {
    const press = (text, label, act) => {
      const symbol = text.length === 1;
      return button(text, act, { class: "quiet", "aria-label": symbol ? `${text} ${label}` : null, title: label });
    };
    this.backButton = press("Back", "Back to the rows before", () => this.goBack());
    this.grouping = button("", () => {
      this.perClass = !this.perClass;
      this.back = [];
      this.show(this.top());
    }, { class: "quiet" });
    this.colours = button("Share of calls", () => {
      this.shown = this.shown === "states" ? "share" : "states";
      this.colours.setAttribute("aria-pressed", String(this.shown === "share"));
      this.key_.replaceWith(this.legend());
      this.draw();
    }, { class: "quiet", "aria-pressed": "false", title: "The time matrix: how much of the time was spent in calls" });
    return make("div", { class: "timeline-tools" },
      press("+", "Zoom in", () => this.zoom(0.5)), press("\u2212", "Zoom out", () => this.zoom(2)),
      press("\u2190", "Earlier", () => this.pan(-0.25)), press("\u2192", "Later", () => this.pan(0.25)),
      press(this.rows.times.aligned === "begin" ? "Fit" : "After MPI_Init", "Until shortly after the last call returned", () => this.home()),
      press("All", "All of both runs", () => this.look(...this.span)),
      press("Open the row", "Open the selected row", () => this.open()), this.backButton, this.grouping, this.colours);
  }

  legend() {
    if (this.shown === "share") {
      const stops = cividis.map((_, i) => `rgb(${cividis[i]})`).join(", ");
      const bar = make("span", { class: "scale-bar", "aria-hidden": "true" });
      bar.style.backgroundImage = `linear-gradient(to right, ${stops})`;
      this.key_ = make("p", { class: "scale" }, "in calls, or waiting: none of the time", bar, "all of it");
      return this.key_;
    }
    const entry = (state) => {
      const patch = make("span", { class: "patch", "aria-hidden": "true" });
      patch.style.background = stateColours[state];
      return make("li", {}, patch, stateNames[state]);
    };
    this.key_ = make("ul", { class: "legend" }, ...Object.keys(stateNames).map(entry));
    return this.key_;
  }

  /* The table has what is in view. */
  fillTable() {
    if (!this.table.open) return;
    const [from, to] = this.view;
    const percent = (run, state) => (line) => {
      const shares = this.rows.shares(line, run, from, to);
      return shares === null ? null : Math.round(1000 * shares[state]) / 10;
    };
    const columns = [{ title: "Row", value: (line) => line.name }, { title: "Threads", value: (line) => line.rows.length, numeric: true }];
    const groups = this.lines.some((line) => line.rows.length > 1);
    this.rows.runs.forEach((run, place) => {
      for (const [state, title] of [["own", "own code"], ["in_calls", "in calls"], ["waiting", "waiting"]])
        columns.push({ title: `${run.of}: ${title} %`, value: percent(place, state), numeric: true, descendingFirst: true });
    });
    const spread = (line) => (line.rows.length > 1 ? this.spreadText(line) : null);
    if (groups) columns.push({ title: "Waiting in all, nine of ten threads", value: spread });
    const caption = `Shares of the time from ${duration(from)} to ${duration(to)}`;
    this.table.replaceChildren(this.table.firstChild, make("p", {}, caption), dataTable({ caption, columns, rows: this.lines }));
  }

  /* ---- what is shown ---- */

  show(lines) {
    this.lines = lines;
    this.selected = 0;
    this.backButton.disabled = this.back.length === 0;
    this.grouping.textContent = this.perClass ? "By rank" : "By class";
    this.grouping.title = this.perClass ? "Show rows by rank" : "Put threads that made the same calls into one row";
    this.changed();
  }

  open() {
    const line = this.lines[this.selected];
    if (line.rows.length === 1) return;
    this.back.push(this.lines);
    this.show(this.rows.inside(line));
  }

  goBack() {
    if (this.back.length > 0) this.show(this.back.pop());
  }

  home() {
    const from = Math.min(...this.rows.runs.map((run) => run.init));
    const last = Math.max(...this.rows.runs.map((run) => run.last_return));
    this.look(from, Math.min(last + 0.15 * (last - from), this.span[1]));
  }

  look(from, to) {
    const least = Math.max((this.span[1] - this.span[0]) / 1e6, 1);
    const width = Math.min(Math.max(to - from, least), this.span[1] - this.span[0]);
    const begin = Math.min(Math.max(from, this.span[0]), this.span[1] - width);
    this.view = [begin, begin + width];
    this.changed();
  }

  zoom(factor, around = (this.view[0] + this.view[1]) / 2) {
    this.look(around - (around - this.view[0]) * factor, around + (this.view[1] - around) * factor);
  }

  pan(share) {
    const step = (this.view[1] - this.view[0]) * share;
    this.look(this.view[0] + step, this.view[1] + step);
  }

  /** The row of a trace, if it is shown; its class, if that is. */
  choose(trace) {
    const row = this.rows.times.rows.indexOf(trace);
    const place = row < 0 ? -1 : this.lines.findIndex((line) => line.rows.includes(row));
    if (place >= 0) this.select(place);
  }

  select(place) {
    this.selected = Math.min(Math.max(place, 0), this.lines.length - 1);
    this.changed();
  }

  changed() {
    if (!this.view) return;
    this.draw();
    this.say();
    this.fillTable();
  }

  /* ---- drawing; lengths in CSS pixels ---- */

  layout() {
    this.width = this.figure.clientWidth;
    this.names = this.lines.map((line) => shortened(line.name, 16));
    this.gutter = Math.min(28 + 6 * Math.max(...this.names.map((name) => name.length)), 130);
    this.across = this.width - this.gutter - 8;
    this.lineHeight = Math.max(7, Math.min(22, Math.floor(280 / this.lines.length)));
    this.panel = this.lineHeight * this.lines.length;
    this.tops = this.rows.runs.map((_, place) => 20 + place * (this.panel + 26));
    this.height = 20 + this.rows.runs.length * (this.panel + 26) + 10;
  }

  draw() {
    if (this.figure.clientWidth === 0 || !this.view) return;
    const before = performance.now();
    this.layout();
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(this.width * ratio), height: Math.round(this.height * ratio) });
    Object.assign(this.canvas.style, { width: `${this.width}px`, height: `${this.height}px` });
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    this.rows.runs.forEach((_, place) => this.drawRun(context, place));
    this.drawAxis(context);
    this.canvas.dataset.drawn = (performance.now() - before).toFixed(1);
  }

  drawRun(context, place) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.max(1, Math.round(this.across * ratio)), Math.round(this.panel * ratio)];
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const each = Math.round(this.lineHeight * ratio);
    this.lines.forEach((line, i) => this.drawLine(pixels, width, i * each, Math.max(1, each - (each > 5 ? 1 : 0)), line, place));
    context.putImageData(image, Math.round(this.gutter * ratio), Math.round(this.tops[place] * ratio));
    this.drawNames(context, place);
    this.drawMessages(context, place);
  }

  /* Each pixel's column is as high as the shares of what was done in it: waiting at the bottom, own code at the top. */
  drawLine(pixels, width, top, height, line, place) {
    const step = (this.view[1] - this.view[0]) / width;
    const [inCalls, waited, present] = this.rows.sums(line, place);
    const columns = inCalls.length - 1;
    const [own, calls, waiting] = packedStates;
    for (let x = 0; x < width; x++) {
      const [first, last] = this.rows.cellsBetween(place, columns, this.view[0] + x * step, this.view[0] + (x + 1) * step);
      const there = present[last] - present[first];
      if (there === 0) continue;
      const waitShare = (waited[last] - waited[first]) / there;
      const callShare = (inCalls[last] - inCalls[first]) / there;
      if (this.shown === "share") {
        const colour = packedScale[Math.round(255 * (waitShare + callShare))];
        for (let y = 0; y < height; y++) pixels[(top + y) * width + x] = colour;
        continue;
      }
      const waits = Math.round(height * (1 - waitShare));
      const owns = Math.min(waits, Math.round(height * (1 - waitShare - callShare)));
      for (let y = 0; y < height; y++) pixels[(top + y) * width + x] = y < owns ? own : y < waits ? calls : waiting;
    }
  }

  drawNames(context, place) {
    const top = this.tops[place];
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.font = "bold 12px system-ui, sans-serif";
    context.fillStyle = themeColour(`--${this.rows.runs[place].of}`);
    context.fillText(`${this.rows.runs[place].of} run`, this.gutter, top - 9);
    context.textAlign = "right";
    const every = Math.ceil(11 / this.lineHeight);
    this.names.forEach((name, i) => {
      const selected = i === this.selected;
      if (i % every !== 0 && !selected) return;
      if (!selected && Math.abs(i - this.selected) < every) return;
      context.font = `${selected ? "bold " : ""}10px system-ui, sans-serif`;
      context.fillStyle = themeColour(selected ? "--link" : "--text");
      context.fillText(name, this.gutter - 5, top + (i + 0.5) * this.lineHeight, this.gutter - 8);
    });
    context.strokeStyle = themeColour("--link");
    context.lineWidth = 2;
    context.strokeRect(this.gutter - 1, top + this.selected * this.lineHeight - 1, this.across + 2, this.lineHeight + 1);
  }

  x(moment) {
    return this.gutter + ((moment - this.view[0]) / (this.view[1] - this.view[0])) * this.across;
  }

  /* Of the selected row, those that took longest; what goes to a row that is not shown ends in the selected one. */
  drawMessages(context, place) {
    const run = this.rows.runs[place];
    const lineOf = this.lineOf();
    const y = (line) => this.tops[place] + (line + 0.5) * this.lineHeight;
    const chosen = new Set(this.lines[this.selected].rows);
    let drawn = 0;
    context.save();
    context.beginPath();
    context.rect(this.gutter, this.tops[place], this.across, this.panel);
    context.clip();
    context.strokeStyle = "rgba(0, 0, 0, 0.6)";
    context.fillStyle = "#000000";
    context.lineWidth = 1;
    for (let i = 0; i < run.messages.length && drawn < arrowsShown; i += 4) {
      const [from, to] = [run.messages[i], run.messages[i + 1]];
      if (!chosen.has(from) && !chosen.has(to)) continue;
      const [sent, got] = [2, 3].map((part) => run.begin + (run.messages[i + part] / 1048576) * run.span);
      const [first, last] = [lineOf.get(from) ?? this.selected, lineOf.get(to) ?? this.selected];
      if (got < this.view[0] || sent > this.view[1] || first === last) continue;
      context.beginPath();
      context.moveTo(this.x(sent), y(first));
      context.lineTo(this.x(got), y(last));
      context.stroke();
      context.beginPath();
      context.arc(this.x(got), y(last), 2, 0, 7);
      context.fill();
      drawn++;
    }
    context.restore();
  }

  lineOf() {
    if (this.linesOf !== this.lines) {
      this.lineByRow = new Map();
      this.lines.forEach((line, i) => line.rows.forEach((row) => this.lineByRow.set(row, i)));
      this.linesOf = this.lines;
    }
    return this.lineByRow;
  }

  drawAxis(context) {
    const bottom = this.height - 30;
    const width = this.view[1] - this.view[0];
    const rough = width / Math.max(2, this.across / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((part) => part * power).find((part) => part >= rough);
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "center";
    for (let at = Math.ceil(this.view[0] / step) * step; at <= this.view[1]; at += step) {
      const x = this.x(at);
      context.fillStyle = themeColour("--quiet");
      context.fillRect(x, bottom, 1, 4);
      if (x > this.gutter + 20 && x < this.width - 24) context.fillText(at === 0 ? "0" : duration(at), x, bottom + 12);
    }
    if (this.view[0] > 0 || this.view[1] < 0) return;
    context.fillStyle = themeColour("--faulty");
    for (const top of this.tops) context.fillRect(this.x(0) - 1, top - 4, 2, this.panel + 8);
  }

  /* ---- mouse ---- */

  moment(event) {
    const inside = (event.clientX - this.canvas.getBoundingClientRect().left - this.gutter) / this.across;
    return this.view[0] + Math.min(Math.max(inside, 0), 1) * (this.view[1] - this.view[0]);
  }

  lineAt(event) {
    const y = event.clientY - this.canvas.getBoundingClientRect().top;
    for (let place = 0; place < this.tops.length; place++) {
      const line = Math.floor((y - this.tops[place]) / this.lineHeight);
      if (line >= 0 && line < this.lines.length) return [line, place];
    }
    return null;
  }

  wheel(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey) return; /* else it scrolls the page */
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.moment(event));
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.grabbed = { x: event.clientX, view: this.view, moved: false };
  }

  drag(event) {
    if (!this.grabbed) {
      this.point(event);
      return;
    }
    const moved = event.clientX - this.grabbed.x;
    if (Math.abs(moved) > 3) this.grabbed.moved = true;
    if (!this.grabbed.moved) return;
    const { view } = this.grabbed;
    const by = (-moved / this.across) * (view[1] - view[0]);
    this.look(view[0] + by, view[1] + by);
  }

  release(event) {
    const { moved } = this.grabbed ?? { moved: true };
    this.grabbed = null;
    const at = this.lineAt(event);
    if (!moved && at !== null) this.select(at[0]);
  }

  point(event) {
    const at = event === null ? null : this.lineAt(event);
    this.pointed = at === null ? null : { line: at[0], place: at[1], moment: this.moment(event) };
    this.say();
  }

  /* ---- keys ---- */

  key(event) {
    const acts = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      ArrowLeft: () => this.pan(-0.25), ArrowRight: () => this.pan(0.25),
      ArrowUp: () => this.select(this.selected - 1), ArrowDown: () => this.select(this.selected + 1),
      Home: () => this.look(...this.span), Enter: () => this.open(), Escape: () => this.goBack(), Backspace: () => this.goBack(),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /* ---- in words ---- */

  sharesText(line, place, from, to) {
    const shares = this.rows.shares(line, place, from, to);
    if (shares === null) return `${this.rows.runs[place].of} run: not there`;
    const percent = (state) => `${Math.round(100 * shares[state])} %`;
    return `${this.rows.runs[place].of} run: own code ${percent("own")}, in calls ${percent("in_calls")}, waiting ${percent("waiting")}`;
  }

  say() {
    if (this.pointed) {
      const { line, place, moment } = this.pointed;
      const width = (this.view[1] - this.view[0]) / this.across;
      this.readout.textContent = `${this.lineText(this.lines[line])} at ${duration(moment)}, ${this.sharesText(this.lines[line], place, moment - width / 2, moment + width / 2)}`;
      return;
    }
    const line = this.lines[this.selected];
    const spread = line.rows.length === 1 ? "" : `; waiting in the whole run, nine of ten threads: ${this.spreadText(line)}`;
    const shares = this.rows.runs.map((_, place) => this.sharesText(line, place, ...this.view)).join("; ");
    this.readout.textContent = `${this.lineText(line)}, from ${duration(this.view[0])} to ${duration(this.view[1])}: ${shares}${spread}`;
  }

  spreadText(line) {
    return this.rows.runs.map((run, place) => {
      const { least, most } = this.rows.spread(line, place);
      return `${run.of} ${Math.round(100 * least)} to ${Math.round(100 * most)} %`;
    }).join(", ");
  }

  lineText(line) {
    return line.rows.length === 1 ? `Row ${line.name}` : `${plural(line.rows.length, "thread")} ${line.name}`;
  }
}

const alignments = {
  departure: (times) => `Time 0 is where trace ${times.departing} departs from normal`,
  init: () => "Time 0 is the end of the first MPI_Init",
  begin: () => "Time 0 is where each run begins",
};

function timelineNodes(times) {
  const cells = times.runs.map((run) => run.rows.columns);
  const timeline = new Timeline(times);
  window.timeline = timeline;
  requestAnimationFrame(() => {
    timeline.draw();
    timeline.rows.prepare();
  });
  markers.push((trace) => timeline.choose(trace));
  return [
    make("p", { class: "lead" }, `${alignments[times.aligned](times)}. ` +
      "Wheel (once it has the focus), + and \u2212 zoom; dragging and arrows move; a row is chosen by a click, opened by a double click or Enter; arrows are the longest messages of the chosen row."),
    make("div", { class: "lazy-timeline" }, timeline.figure),
    make("p", { class: "note" }, `${plural(times.rows.length, "thread")} in ${plural(times.classes, "class", "classes")} that made the same calls; ` +
      `${cells.map(grouped).join(" and ")} moments a thread are told apart.`),
  ];
}

function addTimeline() {
  if (!data.timelines) return;
  const times = data.timelines;
  addSection("timeline", "Timeline", `where the time went, ${times.runs.map((run) => `${run.of} run`).join(" above ")}: ${plural(times.rows.length, "thread")}`,
    () => timelineNodes(times), { open: data.times?.answer === "slower" });
}

/** Large pictures are made when they come near. */
function whenSeen(holder, act) {
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watcher.disconnect();
    act();
  }, { rootMargin: "400px" });
  watcher.observe(holder);
}
