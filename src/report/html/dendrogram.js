/* A clustering drawn above the columns of its heat map. */

const treeHeight = 90;

/** Places of tiles and merges: x in columns, height as a share of the highest, and whether all of it is suspicious. */
function placeMerges(view) {
  const highest = Math.max(...view.merges.map(([, , distance]) => distance), 0) || 1;
  const places = view.tiles.map((tile, i) => ({ x: i + 0.5, height: 0, suspicious: tile.suspicious === tile.count }));
  for (const [a, b, distance] of view.merges) {
    const [left, right] = [places[a], places[b]];
    places.push({ x: (left.x + right.x) / 2, height: distance / highest, suspicious: left.suspicious && right.suspicious, left, right, distance });
  }
  return places;
}

/* The lines from a tile up to the root. */
function pathOf(places, tile, x, y) {
  let path = "";
  for (let at = places[tile]; at;) {
    const merge = places.find((place) => place.left === at || place.right === at);
    if (merge) path += `M${x(at)} ${y(at)}V${y(merge)}H${x(merge)}`;
    at = merge;
  }
  return path;
}

function drawDendrogram(tree, view, gutter, cell, width, selected) {
  view.places ??= placeMerges(view);
  const x = (place) => (gutter + place.x * cell).toFixed(1);
  const y = (place) => (treeHeight - 2 - place.height * (treeHeight - 10)).toFixed(1);
  const paths = { false: "", true: "" };
  for (const merge of view.places.slice(view.tiles.length)) {
    for (const part of [merge.left, merge.right])
      paths[part.suspicious] += `M${x(part)} ${y(part)}V${y(merge)}H${x(merge)}`;
  }
  tree.setAttribute("width", width);
  tree.setAttribute("height", treeHeight);
  tree.setAttribute("viewBox", `0 0 ${width} ${treeHeight}`);
  tree.replaceChildren(
    makeSvg("path", { class: "branch", d: paths.false || "M0 0" }),
    makeSvg("path", { class: "branch suspicious", d: paths.true || "M0 0" }),
    makeSvg("path", { class: "branch selected", d: (selected >= 0 && pathOf(view.places, selected, x, y)) || "M0 0" }),
  );
}
