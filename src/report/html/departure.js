/* The calls around the first difference and at the end, side by side, as src/report/front/difference.c makes them. */

function departureTable(data, difference) {
  const { departure } = difference;
  const name = (index) => make("span", {}, nameNode(data.functions[index]));
  const cell = (side, content, extra) => make("td", side === "common" ? { colspan: "2" } : {}, content === null ? null : typeof content === "string" ? make("em", { class: "left" }, content) : box(side, content, extra));
  const gap = (calls, what = "") => `\u2026 ${plural(calls, "call")}${what}`;
  const body = make("tbody");
  const left = departure.done - departure.before.length;
  if (left > 0) body.append(make("tr", {}, cell("common", gap(left, departure.first ? " alike" : " before"))));
  for (const call of departure.before) body.append(make("tr", {}, cell("common", name(call))));
  const linesOf = (side) => [
    ...departure[side].after.map((call) => [name(call)]),
    ...(departure[side].left_out > 0 ? [[gap(departure[side].left_out)]] : []),
    ...departure[side].last.map((call) => [name(call)]),
    [endNode(data, difference[`${side}_open`]), "end"],
  ];
  const [normal, faulty] = [linesOf("normal"), linesOf("faulty")];
  for (let i = 0; i < Math.max(normal.length, faulty.length); i++)
    body.append(make("tr", {}, ...[["normal", normal[i]], ["faulty", faulty[i]]].map(([side, line]) => cell(side, line?.[0] ?? null, line?.[1]))));
  const heading = (side) => make("th", { scope: "col" }, `${side}: `, make("code", {}, data[side]));
  return make("table", { class: "diff departure" }, make("caption", { class: "unseen" }, `Where trace ${difference.trace} departs, and how it ends`),
    make("thead", {}, make("tr", {}, heading("normal"), heading("faulty"))), body);
}
