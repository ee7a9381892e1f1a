/* Tables that are sorted by their headings, filtered by words, and shown a page at a time. */

/**
 * columns: {title, value(row): number or text to sort and filter by, cell(row): what is shown, numeric}
 * row(row, tr): called for each row drawn.
 * first: {keep(row), label}: only such rows are shown until the button with that label is pressed, or words are typed.
 * words, onwords(text): what is typed to begin with, and whenever that changes.
 */
function dataTable({ caption, columns, rows, pageSize = 10, more = 200, row: decorate, first = null, words: typed = "", onwords }) {
  let shown = pageSize;
  let sortedBy = null;
  let descending = false;
  const split = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  let words = split(typed);
  let all = first === null;

  /* Made when words are first typed: of 10,000 rows that takes as long as all the rest. */
  let texts = null;
  const textsOfRows = () => (texts ??= rows.map((row) => columns.map((column) => String(column.value(row) ?? "")).join(" ").toLowerCase()));
  const body = make("tbody");
  const status = make("p", { class: "table-status", role: "status" });
  const moreButton = button("", () => {
    const first = body.rows.length;
    shown += more;
    draw();
    body.rows[first]?.querySelector("button, a")?.focus();
  });

  const restButton = button(first?.label ?? "", () => {
    const before = body.rows.length;
    all = true;
    draw();
    body.rows[before]?.querySelector("button, a")?.focus();
  }, { class: "rest" });

  const compare = (a, b) => {
    const [x, y] = [sortedBy.value(rows[a]), sortedBy.value(rows[b])];
    if (x === y) return a - b;
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    const order =
      typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
    return (descending ? -order : order) || a - b;
  };

  function draw() {
    const found = [];
    for (let i = 0; i < rows.length; i++)
      if (words.length > 0 ? words.every((word) => textsOfRows()[i].includes(word)) : all || first.keep(rows[i])) found.push(i);
    if (sortedBy !== null) found.sort(compare);
    body.replaceChildren(
      ...found.slice(0, shown).map((i) => {
        const cells = columns.map((column, place) =>
          make(place === 0 ? "th" : "td", { class: column.class ?? (column.numeric ? "numeric" : null), scope: place === 0 ? "row" : null, "data-label": column.title },
            column.cell ? column.cell(rows[i]) : String(column.value(rows[i]) ?? "\u2013")),
        );
        const line = make("tr", {}, ...cells);
        decorate?.(rows[i], line);
        return line;
      }),
    );
    const visible = Math.min(found.length, shown);
    const few = words.length === 0 && (all ? rows.length <= pageSize : found.length <= shown);
    status.textContent = few ? "" :
      found.length === rows.length
        ? `${grouped(visible)} of ${plural(rows.length, "row")}`
        : `${grouped(visible)} of ${plural(found.length, "row")} found, ${grouped(rows.length)} in all`;
    restButton.hidden = all || words.length > 0;
    moreButton.hidden = visible === found.length;
    moreButton.textContent = `Show ${grouped(Math.min(more, found.length - visible))} more`;
  }

  function sortBy(column, heading) {
    descending = sortedBy === column ? !descending : Boolean(column.numeric && column.descendingFirst);
    sortedBy = column;
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    draw();
  }

  const headings = columns.map((column) => {
    const heading = make("th", { scope: "col", class: column.class ?? (column.numeric ? "numeric" : null) });
    heading.append(button(column.title, () => sortBy(column, heading), { class: "sort" }));
    return heading;
  });
  const filter = make("input", {
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => {
      words = split(filter.value);
      shown = pageSize;
      draw();
      onwords?.(filter.value);
    },
  });
  filter.value = typed;
  draw();
  /* Words from elsewhere. */
  const type = (text) => {
    if (filter.value === text) return;
    filter.value = text;
    words = split(text);
    draw();
  };
  const short = rows.length <= 5 && !onwords;
  const table = make(
    "div",
    { class: "data-table" },
    short ? null : make("div", { class: "table-tools" }, make("label", {}, "Filter ", filter), status),
    make(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption },
      make("table", {}, make("caption", { class: "unseen" }, caption), make("thead", {}, make("tr", {}, ...headings)), body),
    ),
    moreButton,
    restButton,
  );
  table.type = type;
  return table;
}
