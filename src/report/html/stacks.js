/* The final call stacks of the faulty run, merged at their common outermost frames. */

const nestedAtMost = 60; /* deeper frames stand side by side: a runaway recursion must stay readable */

function frameLine(frame, total) {
  const line = make(
    "span",
    { class: "frame" },
    nameNode(frame.function),
    " ",
    make("span", { class: "frame-count" }, plural(frame.count, "trace")),
    " ",
    make("span", { class: "frame-traces", title: frame.traces.length > 200 ? null : frame.traces }, shortened(frame.traces, 200)),
  );
  line.style.setProperty("--share", `${(100 * frame.count) / total}%`);
  line.traces = frame.traces;
  return line;
}

function stackTree(stacks) {
  const lists = [];
  const depths = [];
  const root = make("ul", { class: "stacks" });
  const parents = new Set(stacks.frames.map((frame) => frame.parent));
  stacks.frames.forEach((frame, i) => {
    const depth = frame.parent < 0 ? 0 : depths[frame.parent] + 1;
    depths[i] = depth;
    const list = frame.parent < 0 ? root : lists[frame.parent];
    const item = make("li");
    list.append(item);
    if (!parents.has(i)) {
      item.append(frameLine(frame, stacks.traces));
    } else if (depth >= nestedAtMost) {
      item.append(frameLine(frame, stacks.traces));
      lists[i] = list;
    } else {
      lists[i] = make("ul");
      item.append(make("details", { open: "" }, make("summary", {}, frameLine(frame, stacks.traces)), lists[i]));
    }
  });
  if (stacks.ended_count > 0)
    root.append(make("li", {}, frameLine({ function: "(no open call)", count: stacks.ended_count, traces: stacks.ended }, stacks.traces)));
  if (stacks.left_out > 0)
    root.append(make("li", {}, make("em", {}, `${plural(stacks.left_out, "frame")} left out here: difftrace stack --all has them`)));
  return root;
}

/** The branch that the selected trace is on. */
function markStacks(root, trace) {
  for (const line of root.querySelectorAll(".frame")) line.classList.toggle("of-selected", trace !== null && listHas(line.traces, trace));
}
