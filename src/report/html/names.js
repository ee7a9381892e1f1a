/*
 * Names that compilers make long: without types, until all of it is asked for. The rule is dt_text_brief()'s
 * (src/text/brief.c), so that what is there without scripts reads the same.
 */

const nameShown = 72;
const isWord = (character) => /[0-9A-Za-z_\u0080-\uffff]/.test(character ?? " ");

/* Characters up to the bracket that closes the first one, both counted; 0: none does. An arrow closes nothing. */
function bracketed(text, at, open, close) {
  for (let i = at, depth = 0; i < text.length; i++) {
    if (text[i] === open) depth++;
    else if (text[i] === close && !(close === ">" && text[i - 1] === "-") && --depth === 0) return i + 1 - at;
  }
  return 0;
}

function leftOut(out, text, at) {
  const before = out.at(-1);
  let length = 0;
  if (text[at] === "<" && isWord(before) && !out.endsWith("operator")) length = bracketed(text, at, "<", ">");
  else if (text[at] === "(" && (isWord(before) || before === ">") && out.slice(out.lastIndexOf(" ") + 1).includes("::"))
    length = bracketed(text, at, "(", ")");
  return length >= 6 ? length : 0;
}

/** A name, or a text with names in it, without the arguments of templates and the types of parameters; in at most so
 * many characters. */
function brief(text, width = 0) {
  let out = text;
  if (text.includes("<") || text.includes("::")) {
    out = "";
    for (let at = 0; at < text.length;) {
      const length = leftOut(out, text, at);
      out += length > 0 ? `${text[at]}\u2026${text[at + length - 1]}` : text[at];
      at += Math.max(length, 1);
    }
  }
  if (width <= 0 || out.length <= width) return out;
  const head = Math.floor(width / 2);
  return `${out.slice(0, head)}\u2026${out.slice(out.length - (width - 1 - head))}`;
}

/** A name: brief, with the full one as its title, and shown where full names are asked for. */
function nameNode(name) {
  const text = brief(name, nameShown);
  if (text === name) return make("code", {}, name);
  return make("code", { class: "name", title: name }, make("span", { class: "brief" }, text), make("span", { class: "whole" }, name));
}

/* ---- lists of traces: "0-4,7,6-7.1-3" ---- */

const rangesOf = new Map();

function ranges(list) {
  if (!rangesOf.has(list)) {
    const between = (text) => {
      const [from, to = from] = text.split("-");
      return [from, to];
    };
    rangesOf.set(list, list.split(",").map((part) => {
      const dot = part.lastIndexOf(".");
      return dot < 0 ? [between(part), ["0", "0"]] : [between(part.slice(0, dot)), between(part.slice(dot + 1))];
    }));
  }
  return rangesOf.get(list);
}

const isBetween = (value, [from, to]) =>
  value === from || (/^\d+$/.test(value) && /^\d+$/.test(from) && Number(value) >= Number(from) && Number(value) <= Number(to));

/** Is the trace "5.0" in the list? */
function listHas(list, trace) {
  if (!list) return false;
  const dot = trace.lastIndexOf(".");
  const [process, thread] = dot < 0 ? [trace, "0"] : [trace.slice(0, dot), trace.slice(dot + 1)];
  return ranges(list).some(([processes, threads]) => isBetween(process, processes) && isBetween(thread, threads));
}
