/*
 * The call tree of both runs as an icicle: callers above what they call, a frame as wide as the larger of both runs with
 * all that is called from it, so that frames of one run alone have their place. A differential flame graph, upside down.
 */

const frameHeight = 20;
const letterWidth = 7.3;
const changesListed = 200;

/** The frames, and what both runs spent in each: calls, or nanoseconds, of all traces or of one. */
class CallTree {
  constructor(calls) {
    this.calls = calls;
    this.count = calls.frames.length / 2;
    this.caller = Int32Array.from({ length: this.count }, (_, i) => calls.frames[2 * i]);
    this.called = Array.from({ length: this.count }, () => []);
    this.outermost = [];
    this.byName = new Map();
    for (let i = 0; i < this.count; i++) {
      (this.caller[i] < 0 ? this.outermost : this.called[this.caller[i]]).push(i);
      this.byName.set(`${this.caller[i]} ${this.name(i)}`, i);
    }
    this.known = new Map();
  }

  name(frame) {
    return this.calls.functions[this.calls.frames[2 * frame + 1]];
  }

  path(frame) {
    const path = [];
    for (let at = frame; at >= 0; at = this.caller[at]) path.unshift(at);
    return path;
  }

  /** Whether the trace has counts of its own. */
  has(trace) {
    return trace !== null && this.calls.of.some((of) => of.trace === trace);
  }

  /** By frame: of itself, and `all` with what it calls; `width`: the larger of both runs, with what it calls. */
  of(trace, measure) {
    const key = `${trace} ${measure}`;
    if (!this.known.has(key)) this.known.set(key, this.sum(this.calls.of.find((of) => of.trace === trace) ?? this.calls.of[0], measure));
    return this.known.get(key);
  }

  sum({ counts }, measure) {
    const made = () => new Float64Array(this.count);
    const sums = { normal: made(), faulty: made(), allNormal: made(), allFaulty: made(), width: made() };
    const step = this.calls.timed ? 5 : 3;
    const at = measure === "time" ? 3 : 1;
    for (let i = 0; i < counts.length; i += step) {
      sums.normal[counts[i]] = counts[i + at];
      sums.faulty[counts[i]] = counts[i + at + 1];
    }
    for (let i = this.count - 1; i >= 0; i--) {
      sums.allNormal[i] += sums.normal[i];
      sums.allFaulty[i] += sums.faulty[i];
      sums.width[i] += Math.max(sums.normal[i], sums.faulty[i]);
      const caller = this.caller[i];
      if (caller < 0) continue;
      for (const member of ["allNormal", "allFaulty", "width"]) sums[member][caller] += sums[member][i];
    }
    return sums;
  }

  /** The frames that a trace was in at its end. */
  openOf(trace, stacks) {
    const frames = new Set();
    const places = [];
    stacks.frames.forEach((frame, i) => {
      const caller = frame.parent < 0 ? -1 : places[frame.parent];
      places[i] = caller === undefined ? undefined : this.byName.get(`${caller} ${frame.function}`);
      if (places[i] !== undefined && trace !== null && listHas(frame.traces, trace)) frames.add(places[i]);
    });
    return frames;
  }
}

const milliseconds = (ns) => (ns >= 1e9 ? `${(ns / 1e9).toFixed(2)} s` : ns >= 1e5 ? `${(ns / 1e6).toFixed(1)} ms` : `${(ns / 1e6).toFixed(3)} ms`);

class Icicle {
  constructor(tree, stacks, compared) {
    Object.assign(this, { tree, stacks, compared, measure: "calls", cursor: -1, drawn: [], open: new Set() });
    this.picture = makeSvg("svg", {
      class: "icicle", tabindex: "0", role: "application", "aria-roledescription": "call tree",
      "aria-label": "Call tree; arrows go to callers and to what they call, Enter shows one frame, Escape all",
      onclick: (event) => this.click(event), onmousemove: (event) => this.point(this.frameAt(event)),
      onmouseleave: () => this.point(-1), onkeydown: (event) => this.key(event), onblur: () => this.point(-1),
    });
    this.readout = make("p", { class: "readout", role: "status" });
    this.path = make("p", { class: "icicle-path" });
    this.holder = make("div", { class: "icicle-holder" }, this.picture);
    this.table = make("details", { ontoggle: () => this.table.open && this.list() }, make("summary", {}, "As a table: what changed most"), make("div"));
    this.figure = make("div", {}, this.tools(), this.legend(), this.path, this.holder, this.readout, this.table);
    redraws.push(() => this.draw());
    markers.push((trace) => this.mark(trace));
    listeners.push((changed) => (changed.has("frame") || changed.has("alone")) && this.change());
  }

  tools() {
    this.alone = button("", () => select({ alone: !selection.alone }), { class: "quiet", "aria-pressed": "false", id: "alone" });
    const choose = (measure) => {
      this.measure = measure;
      for (const [name, each] of Object.entries(this.measures)) each.setAttribute("aria-pressed", String(name === measure));
      this.change();
    };
    this.measures = { calls: button("Calls", () => choose("calls"), { class: "quiet", "aria-pressed": "true" }) };
    if (this.tree.calls.timed) this.measures.time = button("Time", () => choose("time"), { class: "quiet", "aria-pressed": "false" });
    return make("div", { class: "tools" }, this.alone, ...(this.tree.calls.timed ? Object.values(this.measures) : []));
  }

  legend() {
    if (!this.compared) return "";
    const entry = (kind, text) => make("li", {}, make("span", { class: `icicle-patch ${kind}` }), text);
    return make("ul", { class: "legend" }, entry("gone", "\u2212 normal run only"), entry("less", "less in the faulty run"), entry("same", "the same"),
      entry("more", "more in the faulty run"), entry("new", "+ faulty run only"), make("li", {}, "\u25a0 where the selected trace is at its end"));
  }

  /* ---- what is shown ---- */

  trace() {
    return selection.alone && this.tree.has(selection.trace) ? selection.trace : null;
  }

  sums() {
    return this.tree.of(this.trace(), this.measure);
  }

  /** The frame that fills the width; -1: none does. */
  shown() {
    return Number.isInteger(selection.frame) && selection.frame >= 0 && selection.frame < this.tree.count ? selection.frame : -1;
  }

  kind(frame) {
    const { normal, faulty, allNormal, allFaulty } = this.sums();
    if (!this.compared) return "same";
    if (allFaulty[frame] === 0 && allNormal[frame] > 0) return "gone";
    if (allNormal[frame] === 0 && allFaulty[frame] > 0) return "new";
    return faulty[frame] > normal[frame] ? "more" : faulty[frame] < normal[frame] ? "less" : "same";
  }

  /* How much of the colour: all of it where one run has none. */
  strength(frame) {
    const { normal, faulty } = this.sums();
    const most = Math.max(normal[frame], faulty[frame]);
    return most === 0 ? 0 : Math.abs(normal[frame] - faulty[frame]) / most;
  }

  number(value) {
    return this.measure === "time" ? milliseconds(value) : grouped(value);
  }

  both(normal, faulty) {
    return this.compared ? `${this.number(normal)} | ${this.number(faulty)}` : this.number(faulty);
  }

  numbers(frame) {
    const { normal, faulty } = this.sums();
    return this.both(normal[frame], faulty[frame]);
  }

  /* ---- drawing ---- */

  mark(trace) {
    this.open = this.tree.openOf(trace, this.stacks);
    const own = this.tree.has(trace);
    this.alone.textContent = own ? `Trace ${trace} alone` : `Trace ${trace} alone: not counted, it is none of the first suspects`;
    this.alone.disabled = !own;
    this.alone.hidden = trace === null;
    this.change();
  }

  change() {
    this.alone.setAttribute("aria-pressed", String(this.trace() !== null));
    this.cursor = -1;
    this.draw();
    this.say();
    if (this.table.open) this.list();
  }

  draw() {
    const width = this.holder.clientWidth;
    if (width === 0) return;
    this.drawn = [];
    this.rows = 0;
    const shown = this.shown();
    const above = shown < 0 ? [] : this.tree.path(shown).slice(0, -1);
    above.forEach((frame, row) => this.place(frame, 0, width, row));
    this.spread(shown < 0 ? this.tree.outermost : [shown], 0, width, above.length);
    const height = this.rows * frameHeight;
    for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) this.picture.setAttribute(name, value);
    this.picture.replaceChildren(...this.drawn.map((box) => this.box(box)));
    this.showPath(above, shown);
    this.holder.scrollTop = 0;
  }

  place(frame, x, width, row) {
    this.drawn.push({ frame, x, width, row });
    this.rows = Math.max(this.rows, row + 1);
  }

  /* Frames that are called from one, side by side, and what they call; narrower ones than a pixel are not drawn. */
  spread(frames, x, width, row) {
    const sums = this.sums();
    const pending = [];
    const all = frames.reduce((sum, frame) => sum + sums.width[frame], 0);
    const lay = (list, from, scale, depth) => {
      let at = from;
      for (const frame of list) {
        const wide = sums.width[frame] * scale;
        if (wide >= 1) pending.push([frame, at, wide, depth]);
        at += wide;
      }
    };
    const scale = all > 0 ? width / all : 0;
    for (lay(frames, x, scale, row); pending.length > 0;) {
      const [frame, at, wide, depth] = pending.pop();
      this.place(frame, at, wide, depth);
      lay(this.tree.called[frame], at, scale, depth + 1);
    }
  }

  /* Names without their own file's namespace, which would be all that there is room for. */
  label(frame, width) {
    const kind = this.kind(frame);
    const sign = kind === "gone" ? "\u2212 " : kind === "new" ? "+ " : "";
    const room = Math.floor((width - 8) / letterWidth);
    const name = `${this.open.has(frame) ? "\u25a0 " : ""}${sign}${brief(this.tree.name(frame), nameShown).replaceAll("(anonymous namespace)::", "")}`;
    const full = `${name}  ${this.numbers(frame)}`;
    if (full.length <= room) return full;
    return room >= 4 ? shortened(name, room) : "";
  }

  box({ frame, x, width, row }) {
    const kind = this.kind(frame);
    const classes = ["icicle-frame", kind, this.open.has(frame) ? "of-selected" : "", frame === this.cursor ? "at" : ""];
    const shape = makeSvg("rect", { x: x.toFixed(1), y: row * frameHeight, width: Math.max(width - 0.6, 0.6).toFixed(1), height: frameHeight - 1, rx: 2 });
    shape.style.setProperty("--strength", kind === "same" ? 0 : 0.25 + 0.75 * this.strength(frame));
    const text = makeSvg("text", { x: (x + 4).toFixed(1), y: row * frameHeight + 14 }, this.label(frame, width));
    return makeSvg("g", { class: classes.filter(Boolean).join(" "), "data-frame": frame }, shape, text);
  }

  showPath(above, shown) {
    if (shown < 0) {
      this.path.replaceChildren();
      return;
    }
    const back = button("All of it", () => select({ frame: null }), { class: "quiet", id: "icicle-all" });
    this.path.replaceChildren(back, " ", [...above, shown].map((frame) => brief(this.tree.name(frame), 40)).join(" \u203a "));
  }

  /* ---- one frame ---- */

  frameAt(event) {
    const frame = event.target.closest?.("[data-frame]")?.dataset.frame;
    return frame === undefined ? -1 : Number(frame);
  }

  click(event) {
    const frame = this.frameAt(event);
    if (frame >= 0) select({ frame: frame === this.shown() ? null : frame });
  }

  point(frame) {
    if (frame === this.cursor) return;
    this.cursor = frame;
    for (const each of this.picture.children) each.classList.toggle("at", Number(each.dataset.frame) === frame);
    this.say();
  }

  say() {
    if (this.cursor < 0) {
      this.readout.textContent = "Point at a frame, or use the arrow keys, to read it; click or Enter: it alone.";
      return;
    }
    const { allNormal, allFaulty } = this.sums();
    const frame = this.cursor;
    const of = this.measure === "time" ? "by itself" : "calls";
    const called = this.tree.called[frame].length > 0 ? `; with all that it calls ${this.both(allNormal[frame], allFaulty[frame])}` : "";
    const open = this.open.has(frame) ? `; trace ${selection.trace} is in it at its end` : "";
    this.readout.textContent = `${this.tree.path(frame).map((each) => brief(this.tree.name(each), 60)).join(" \u203a ")}: ${this.numbers(frame)} ${of}${called}${open}`;
  }

  key(event) {
    const shownFrames = this.drawn.map((box) => box.frame);
    const boxes = new Map(this.drawn.map((box) => [box.frame, box]));
    const at = boxes.get(this.cursor);
    const beside = (step) => {
      const row = this.drawn.filter((box) => box.row === at.row).sort((a, b) => a.x - b.x);
      return row[row.indexOf(at) + step]?.frame;
    };
    const widest = () => this.tree.called[this.cursor].filter((frame) => boxes.has(frame)).sort((a, b) => boxes.get(b).width - boxes.get(a).width)[0];
    const steps = { ArrowUp: () => this.tree.caller[this.cursor], ArrowDown: widest, ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), Home: () => shownFrames[0] };
    if (event.key === "Escape") select({ frame: null });
    else if (event.key === "Enter" && at) select({ frame: this.cursor });
    else if (steps[event.key]) {
      const next = at ? steps[event.key]() : shownFrames[0];
      if (boxes.has(next)) this.point(next);
    } else return;
    event.preventDefault();
  }

  /* ---- the same as a table ---- */

  list() {
    const { normal, faulty } = this.sums();
    const by = (frame) => Math.abs(normal[frame] - faulty[frame]);
    const frames = Array.from(normal.keys()).filter((frame) => by(frame) > 0).sort((a, b) => by(b) - by(a) || a - b);
    const number = (title, value) => ({ title, value, cell: (frame) => this.number(value(frame)), numeric: true, descendingFirst: true });
    const go = (frame) => button(brief(this.tree.name(frame), nameShown), () => show({ frame, view: "icicle" }), { class: "trace" });
    const callers = (frame) => this.tree.path(frame).slice(0, -1).map((each) => brief(this.tree.name(each), 40)).join(" \u203a ") || "\u2013";
    const table = dataTable({
      caption: "Frames that changed",
      columns: [{ title: "Function", value: (frame) => this.tree.name(frame), cell: go }, number("Normal", (frame) => normal[frame]),
        number("Faulty", (frame) => faulty[frame]), number("Changed", by), { title: "Called from", value: callers, class: "wide" }],
      rows: frames.slice(0, changesListed),
    });
    this.table.lastChild.replaceChildren(frames.length > 0 ? table : make("p", {}, "Both runs are in each frame equally often."));
  }
}

let callTree = null;

function addIcicle() {
  if (!data.calls || data.calls.frames.length === 0) return;
  callTree = new CallTree(data.calls);
  const compared = data.normal !== null;
  const { normal, faulty } = callTree.of(null, "calls");
  const changed = normal.reduce((sum, value, frame) => sum + (value !== faulty[frame] ? 1 : 0), 0);
  const note = compared ? `each function under what calls it, normal | faulty: ${changed > 0 ? `${plural(changed, "frame")} of ${grouped(callTree.count)} differ` : "as often in both runs"}`
    : `each function under what calls it: ${plural(callTree.count, "frame")}`;
  addSection("icicle", "Call tree", note, () => {
    const orTime = data.calls.timed ? ", or its time," : "";
    const icicle = new Icicle(callTree, data.stacks, compared);
    const left = data.calls.left_out > 0 ? make("p", { class: "note" }, `${plural(data.calls.left_out, "frame")} with few calls left out here: difftrace export --format difffolded has all.`) : "";
    return [make("p", { class: "lead" }, compared
      ? `A frame is as wide as its calls${orTime} with all below it, in the run that has more; its numbers are its own: normal run | faulty run.`
      : `A frame is as wide as its calls${orTime} with all below it; its number is its own.`), icicle.figure, left];
  });
}

/** The widest frame of a function. */
function findInIcicle(name) {
  const { width } = callTree.of(null, "calls");
  const frames = Array.from(width.keys()).filter((frame) => callTree.name(frame) === name);
  show({ frame: frames.sort((a, b) => width[b] - width[a])[0] ?? null, alone: false, view: "icicle" });
}
