// Renders the Markdown that the bot writes (paragraphs, lists, tables, code, bold, italic, web links) as DOM nodes, with
// citation buttons and underlined sentences. Everything else stays plain text.

const PRIVATE = /[\ue000-\uf8ff]/g;
// Markers for the start of an underlined sentence (its index follows) and for its end.
const MARK = "\ue000";
const MARK_END = "\ue001";
const FIRST_INDEX = 0xe100;
const MAX_MARKED_SENTENCES = 1000;
const MAX_CHARACTERS = 200_000;
const INLINE = new RegExp(
  [
    String.raw`\\([\\${"`"}*_{}\[\]()#+\-.!<>|~])`,
    "(`+)([^`](?:.*?[^`])?)\\2(?!`)",
    String.raw`\*\*(?=\S)(.+?\S|\S)\*\*`,
    String.raw`(?<![*\w])\*(?=[^\s*])([^*]*[^\s*])\*(?![*\w])`,
    String.raw`\[([^\[\]]{1,300})\]\(([^\s()<>]{1,2000})\)`,
    String.raw`(?<![\w\]])\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]`,
    `${MARK}(.)([^${MARK_END}]*)${MARK_END}`,
  ].join("|"),
  "gs",
);
const BULLET = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;

// `cite(number)` returns the button of a citation, or null. `sentences` are {text, kind} to underline. Returns the nodes
// and the sentences that were not found in the text.
function renderMarkdown(text, { cite = () => null, sentences = [] } = {}) {
  const { marked, unmatched } = insertMarks(String(text).slice(0, MAX_CHARACTERS).replace(PRIVATE, ""), sentences);
  return { nodes: blocks(marked.replace(/\r\n?/g, "\n").split("\n"), { cite, sentences }), unmatched };
}

function insertMarks(text, sentences) {
  let [marked, position, unmatched] = ["", 0, []];
  for (const [index, sentence] of sentences.entries()) {
    // Citation markers precede the final punctuation in the text, so search for the sentence without it.
    const wanted = sentence.text.replace(PRIVATE, "").trim().replace(/[.!?…。！？]+$/, "");
    const start = wanted && index < MAX_MARKED_SENTENCES ? text.indexOf(wanted, position) : -1;
    if (start < 0 || /[\n|]/.test(wanted)) {
      unmatched.push(sentence);
      continue;
    }
    const skipped = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+/.exec(wanted);
    const from = start + (skipped ? skipped[0].length : 0);
    const end = start + wanted.length;
    marked += text.slice(position, from) + MARK + String.fromCharCode(FIRST_INDEX + index) + text.slice(from, end) + MARK_END;
    position = end;
  }
  return { marked: marked + text.slice(position), unmatched };
}

function blocks(lines, options) {
  const nodes = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const fence = /^\s*(`{3,}|~{3,})/.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      let end = at + 1;
      while (end < lines.length && !lines[end].trim().startsWith(fence[1])) end += 1;
      nodes.push(make("pre", { tabindex: "0" }, make("code", {}, lines.slice(at + 1, end).join("\n").replace(PRIVATE, ""))));
      at = end + 1;
    } else if (BULLET.test(line)) {
      let end = at + 1;
      while (end < lines.length && (BULLET.test(lines[end]) || /^\s{2,}\S/.test(lines[end]))) end += 1;
      nodes.push(list(lines.slice(at, end), options));
      at = end;
    } else if (line.includes("|") && TABLE_RULE.test(lines[at + 1] || "")) {
      let end = at + 2;
      while (end < lines.length && lines[end].includes("|")) end += 1;
      nodes.push(table([line, ...lines.slice(at + 2, end)], options));
      at = end;
    } else {
      let end = at + 1;
      while (end < lines.length && lines[end].trim() && !BULLET.test(lines[end]) && !/^\s*(`{3,}|~{3,})/.test(lines[end])) end += 1;
      const heading = /^#{1,6}\s+(.*)$/.exec(line);
      if (heading) end = at + 1;
      const words = inline(heading ? heading[1] : lines.slice(at, end).join("\n"), options);
      nodes.push(heading ? make("p", {}, make("strong", {}, words)) : make("p", {}, words));
      at = end;
    }
  }
  return nodes;
}

// Lines that are indented deeper than the first item belong to the item before them.
function list(lines, options) {
  const first = BULLET.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const found = BULLET.exec(line);
    if (found && found[1].length <= first[1].length) items.push({ words: found[4], inner: [] });
    else if (found || items.at(-1).inner.length) items.at(-1).inner.push(line);
    else items.at(-1).words += `\n${line.trim()}`;
  }
  const nodes = items.map(({ words, inner }) => make("li", {}, inline(words, options), inner.length ? blocks(inner, options) : null));
  return first[3] ? make("ol", { start: first[3] === "1" ? null : first[3] }, nodes) : make("ul", {}, nodes);
}

function table(lines, options) {
  const cells = (line) => line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
  const row = (tag, line) => make("tr", {}, cells(line).map((cell) => make(tag, {}, inline(cell, options))));
  const body = make("tbody", {}, lines.slice(1).map((line) => row("td", line)));
  return make("div", { class: "scroll", tabindex: "0" }, make("table", {}, make("thead", {}, row("th", lines[0])), body));
}

function inline(text, options) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, , code, bold, italic, label, address, numbers, index, sentence] = match;
    let node = null;
    let before = text.slice(end, match.index);
    if (escaped !== undefined) node = escaped;
    else if (code !== undefined) node = make("code", {}, code.replace(PRIVATE, "").trim());
    else if (bold !== undefined) node = make("strong", {}, inline(bold, options));
    else if (italic !== undefined) node = make("em", {}, inline(italic, options));
    else if (label !== undefined) node = webAddress(address) ? link(webAddress(address), inline(label, options)) : null;
    else if (numbers !== undefined) {
      const buttons = numbers.split(",").map((each) => options.cite(Number(each)));
      node = buttons.some((button) => !button) ? null : buttons;
      if (node) before = before.replace(/ +$/, "");
    } else if (index !== undefined) {
      const found = options.sentences[index.charCodeAt(0) - FIRST_INDEX];
      node = found ? make("span", { class: `weak ${found.kind}` }, inline(sentence, options)) : sentence;
    }
    nodes.push(before.replace(PRIVATE, ""), node === null ? whole.replace(PRIVATE, "") : node);
    end = match.index + whole.length;
  }
  return [...nodes, text.slice(end).replace(PRIVATE, "")];
}
