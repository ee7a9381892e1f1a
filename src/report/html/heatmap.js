/* A matrix as a heat map on a canvas, its dendrogram above it, values by mouse and by keyboard. */

/** The upper triangle of 16-bit thousandths, as a full matrix of numbers. */
function decodeMatrix(text, n) {
  const raw = atob(text);
  const values = new Float32Array(n * n);
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = i; j < n; j++, at += 2) {
      const value = (raw.charCodeAt(at) + 256 * raw.charCodeAt(at + 1)) / 1000;
      values[i * n + j] = value;
      values[j * n + i] = value;
    }
  }
  return values;
}

/* A cluster is named after its first trace. */
function tileLabel(tile) {
  return tile.count === 1 ? shortened(tile.traces, 13) : `${shortened(tile.traces.split(/[,-]/)[0], 8)} +${tile.count - 1}`;
}

/* Those whose labels do not touch: the selected one, then suspicious ones, then from the top. */
function labelledTiles(tiles, cell, selected) {
  const distance = Math.max(1, Math.ceil(11 / cell));
  const taken = new Uint8Array(tiles.length);
  const labelled = [];
  const rank = (tile, i) => (i === selected ? 0 : tile.suspicious > 0 ? 1 : 2);
  for (const wanted of [0, 1, 2]) {
    tiles.forEach((tile, i) => {
      if (rank(tile, i) !== wanted || taken[i]) return;
      labelled.push(i);
      taken.fill(1, Math.max(0, i - distance + 1), i + distance);
    });
  }
  return labelled;
}

function tileText(tile) {
  return tile.count === 1 ? `trace ${tile.traces}` : `${plural(tile.count, "trace")} ${shortened(tile.traces, 60)}`;
}

/** The view in another order of its tiles, without its dendrogram, whose lines would cross. */
function reordered(view, values, order) {
  const n = view.tiles.length;
  const moved = new Float32Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) moved[i * n + j] = values[order[i] * n + order[j]];
  return [{ ...view, tiles: order.map((i) => view.tiles[i]), merges: null }, moved];
}

/** In which places of `view` the tiles of `model` are; null: it has others. */
function orderLike(view, model) {
  if (view === model || view.tiles.length !== model.tiles.length || view.tiles.some((tile) => tile.count > 1)) return null;
  const places = new Map(view.tiles.map((tile, i) => [tile.traces, i]));
  const order = model.tiles.map((tile) => places.get(tile.traces));
  return order.includes(undefined) || order.every((place, i) => place === i) ? null : order;
}

class HeatMap {
  /* `order`: that of all matrices; null: this one's own is. */
  constructor(view, title, order = null) {
    this.n = view.tiles.length;
    this.own = [view, decodeMatrix(view.matrix, this.n)];
    this.common = order ? reordered(...this.own, order) : this.own;
    [this.view, this.values] = this.common;
    this.large = false;
    this.most = view.of === "diff" ? this.values.reduce((most, value) => Math.max(most, value), 0) || 1 : 1;
    this.cursor = null;
    this.canvas = make("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "heat map",
      "aria-label": `${title}; arrow keys move from cell to cell`,
      onmousemove: (event) => this.point(event),
      onmouseleave: () => this.move(null),
      onkeydown: (event) => this.key(event),
      onblur: () => this.move(null),
    });
    this.readout = make("p", { class: "readout", role: "status" });
    this.tree = makeSvg("svg", { class: "dendrogram", role: "img", "aria-label": `Dendrogram: ${title}` });
    this.figure = make("div", { class: "heatmap" }, this.tree, this.canvas, this.readout, this.legend());
    this.say();
    redraws.push(() => this.draw());
    markers.push(() => this.draw());
  }

  /** In its own order, with its dendrogram, or in that of all. */
  order(own) {
    [this.view, this.values] = own ? this.own : this.common;
    this.image = null;
    this.cursor = null;
    this.draw();
    this.say();
  }

  legend() {
    const stops = cividis.map((_, i) => `rgb(${cividis[i]})`).join(", ");
    const bar = make("span", { class: "scale-bar", "aria-hidden": "true" });
    bar.style.backgroundImage = `linear-gradient(to right, ${stops})`;
    return make("p", { class: "scale" }, "0", bar, this.most.toFixed(this.most === 1 ? 0 : 3));
  }

  /* All lengths in CSS pixels. */
  layout() {
    const width = this.figure.clientWidth;
    const longest = Math.max(...this.view.tiles.map((tile) => tileLabel(tile).length));
    this.gutter = 16 + longest * 6;
    this.cell = Math.min((width - this.gutter - 2) / this.n, this.large ? 80 : 30);
    this.size = this.cell * this.n;
    this.top = Math.min(this.gutter, 60);
  }

  draw() {
    if (this.figure.clientWidth === 0) return;
    this.layout();
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.gutter + this.size + 2, this.top + this.size + 2];
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.drawImage(this.cells(), this.gutter, this.top, this.size, this.size);
    const selected = selection.trace === null ? -1 : this.view.tiles.findIndex((tile) => listHas(tile.traces, selection.trace));
    this.figure.dataset.selected = selected >= 0 ? this.view.tiles[selected].traces : "";
    this.labels(context, selected);
    if (selected >= 0) this.markSelected(context, selected);
    if (this.cursor !== null) this.mark(context);
    this.tree.style.display = this.view.merges ? "" : "none";
    if (this.view.merges) drawDendrogram(this.tree, this.view, this.gutter, this.cell, width, selected);
  }

  /* Row and column of the selected trace, in a frame. */
  markSelected(context, place) {
    const { cell, gutter, top, size } = this;
    for (const [colour, width] of [["#ffffff", 4], [themeColour("--link"), 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(gutter, top + place * cell, size, Math.max(cell, 2));
      context.strokeRect(gutter + place * cell, top, Math.max(cell, 2), size);
    }
  }

  /* A pixel a cell, enlarged without smoothing. */
  cells() {
    if (this.image) return this.image;
    const { n } = this;
    const small = make("canvas", { width: n, height: n });
    const context = small.getContext("2d");
    const pixels = context.createImageData(n, n);
    for (let i = 0; i < n * n; i++) pixels.data.set([...scaleColour(this.values[i] / this.most), 255], 4 * i);
    context.putImageData(pixels, 0, 0);
    const scale = Math.max(1, Math.ceil(1200 / n));
    this.image = make("canvas", { width: n * scale, height: n * scale });
    const large = this.image.getContext("2d");
    large.imageSmoothingEnabled = false;
    large.drawImage(small, 0, 0, n * scale, n * scale);
    return this.image;
  }

  labels(context, selected) {
    context.textBaseline = "middle";
    for (const i of labelledTiles(this.view.tiles, this.cell, selected)) {
      const suspicious = this.view.tiles[i].suspicious > 0;
      const text = (i === selected ? "\u25cf" : suspicious ? "\u25b8" : "") + tileLabel(this.view.tiles[i]);
      const middle = (i + 0.5) * this.cell;
      context.font = `${suspicious || i === selected ? "bold " : ""}10px system-ui, sans-serif`;
      context.fillStyle = themeColour(i === selected ? "--link" : suspicious ? "--faulty" : "--text");
      context.textAlign = "right";
      context.fillText(text, this.gutter - 4, this.top + middle, this.gutter - 6);
      context.save();
      context.translate(this.gutter + middle, this.top - 4);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(text, 0, 0, this.top - 4);
      context.restore();
    }
  }

  mark(context) {
    const [row, column] = this.cursor;
    const { cell, gutter, top, size } = this;
    context.strokeStyle = themeColour("--text");
    context.lineWidth = 1;
    context.strokeRect(gutter, top + row * cell, size, cell);
    context.strokeRect(gutter + column * cell, top, cell, size);
    context.strokeStyle = "#ffffff";
    context.lineWidth = 2;
    context.strokeRect(gutter + column * cell, top + row * cell, Math.max(cell, 3), Math.max(cell, 3));
  }

  point(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - left - this.gutter) / this.cell);
    const row = Math.floor((event.clientY - top - this.top) / this.cell);
    const inside = row >= 0 && column >= 0 && row < this.n && column < this.n;
    this.move(inside ? [row, column] : null);
  }

  key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -this.n], End: [0, this.n] };
    const step = steps[event.key];
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
    const [row, column] = this.cursor.map((place) => this.view.tiles[place]);
    const value = this.values[this.cursor[0] * this.n + this.cursor[1]];
    const mean = row.count * column.count > 1 ? "on average " : "";
    this.readout.textContent = `${tileText(row)}, ${tileText(column)}: ${mean}${value.toFixed(3)}`;
  }
}
