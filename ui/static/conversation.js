// The conversation: the past exchanges, and the last one, which is updated while its answer is written.
const isLive = root.dataset.root === "live";
const ASKING = new Set(["example", "sense", "option", "suggestion", "follow", "own", "again"]);
const SAYING = new Set(["up", "down", "unsay", "why", "want", "missing"]);
let known = "";
let judged = "";
let linked = new URLSearchParams(location.search).get("turn") || "";

function lastExchange() {
  return [...root.querySelectorAll(":scope > .exchange")].pop();
}

function showTalk() {
  const before = lastExchange();
  const pending = before && before.dataset.key === "pending";
  const busy = before && before.querySelector(".reply[aria-busy=true]");
  const key = before && before.dataset.key;
  mergeChildren(root, parse(props.value));
  showForm();
  showLinked();
  if (!isLive) return;
  const now = lastExchange();
  // Scroll to a new question after the previous exchange has moved to the past ones; updates do not scroll.
  if (now && key && now.dataset.key !== key && !pending) toTop(now);
  else if (busy) showActions(now && now.querySelector(".reply[aria-busy=false]"));
  follow();
}

// The feedback form may open behind the composer: scroll it into view.
function showForm() {
  const form = judged && root.querySelector(`[data-key="${CSS.escape(judged)}"] .because`);
  if (!form) return;
  judged = "";
  form.scrollIntoView({ block: "nearest" });
}

// Scroll once to the answer in the address: links contain its id, addresses of a cited page its number.
function showLinked() {
  const id = CSS.escape(linked);
  const named = linked && root.querySelector(`:scope > [data-turn="${id}"], :scope > [data-key="exchange-${id}"]`);
  if (!named) return;
  linked = "";
  toTop(named);
}

// After the user's next action, do not scroll there any more.
for (const kind of ["golden-asking", "golden-open"]) document.addEventListener(kind, () => { linked = ""; });

// Scroll to the buttons of a finished answer, unless the beginning of the answer would leave the screen.
function showActions(reply) {
  const tools = reply && reply.querySelector(".tools");
  if (!tools) return;
  const hidden = tools.getBoundingClientRect().bottom - document.getElementById("composer").getBoundingClientRect().top;
  const room = reply.getBoundingClientRect().top - document.getElementById("top").getBoundingClientRect().bottom;
  if (hidden > 0 && hidden <= room) window.scrollBy(0, Math.ceil(hidden) + 2);
}

function toTop(node) {
  setTimeout(() => { if (document.contains(node)) node.scrollIntoView({ block: "start" }); }, 80);
}

function follow() {
  const state = root.querySelector(":scope > .state");
  if (!state) return;
  const { conversation, busy, exchanges } = state.dataset;
  const now = `${conversation} ${busy} ${exchanges}`;
  if (now === known) return;
  const another = known && known.split(" ")[0] !== conversation;
  known = now;
  const c = Number(exchanges) ? conversation : "";
  const here = new URLSearchParams(location.search).get("c") || "";
  if (here !== c) address(another ? { c, turn: "", cite: "" } : { c }, Boolean(here));
  tell("golden-conversation", { id: conversation, busy: busy === "true", exchanges: Number(exchanges) });
}

// Show the question at once, as the server is about to render it.
function pend({ text }) {
  const article = document.querySelector("#composer template").content.querySelector("article").cloneNode(true);
  article.dataset.key = "pending";
  article.classList.add("pending");
  article.querySelector(".words").textContent = text;
  article.querySelector(".edit").dataset.text = text;
  root.querySelectorAll(":scope > .welcome, :scope > .pending").forEach((each) => each.remove());
  // Move the previous exchange to the past ones, as the server is about to do.
  const past = document.querySelector("#past [data-root]");
  const before = lastExchange();
  if (past && before) {
    // Only the last exchange has related questions: remove them now, so that nothing moves later.
    before.querySelectorAll(".follow").forEach((each) => each.remove());
    past.append(before);
  }
  root.append(article);
  const state = root.querySelector(":scope > .state");
  if (state) state.textContent = article.querySelector(".progress").textContent;
  article.scrollIntoView({ block: "start" });
}

async function copy(button) {
  const { copy: given, link } = button.dataset;
  const address = new URLSearchParams({ c: stateOf().conversation, turn: link });
  const text = link ? `${location.origin}${location.pathname}?${address}` : given;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch (refused) {
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "sr" });
    document.body.append(field);
    field.select();
    done = document.execCommand("copy");
    field.remove();
  }
  const label = button.dataset.label || button.textContent;
  button.dataset.label = label;
  button.textContent = done ? button.dataset.copied : button.dataset.failed;
  setTimeout(() => { button.textContent = label; }, 2000);
}

element.addEventListener("click", (event) => {
  const copied = event.target.closest("[data-copy], [data-link]");
  if (copied) return void copy(copied);
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled) return;
  const { action } = button.dataset;
  const data = sent(action, { ...button.dataset }, fieldsAround(button));
  if (action === "cite") {
    tell("golden-opened", { button });
    return trigger("cite", data);
  }
  if (action === "edit") return tell("golden-edit", button.dataset.text);
  if (SAYING.has(action)) {
    judged = action === "down" ? button.closest(".exchange").dataset.key : "";
    return trigger("say", data);
  }
  if (!ASKING.has(action) || (action === "own" && !(data.fields.meaning || "").trim())) return;
  const chip = button.closest("details.chip");
  if (chip) chip.open = false;
  const article = button.closest(".exchange");
  const words = article && article.querySelector(".asked .words");
  const text = action === "example" || action === "follow" || !words ? button.textContent : words.textContent;
  tell("golden-asking", { text });
  request("ask", data, "live");
});

document.addEventListener("click", (event) => {
  for (const chip of root.querySelectorAll("details.chip[open]")) if (!chip.contains(event.target)) chip.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  for (const chip of root.querySelectorAll("details.chip[open]")) {
    chip.open = false;
    chip.querySelector("summary").focus();
  }
});

// Tooltips with the quotation of a citation, on hover and on focus.
function watchTips() {
  const tip = Object.assign(document.createElement("div"), { id: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };
  const show = (event) => {
    const target = event.target.closest && event.target.closest("[data-tip]");
    hide();
    if (!target) return;
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const at = target.getBoundingClientRect();
    const above = at.top - tip.offsetHeight - 6;
    tip.style.top = `${above > 60 ? above : at.bottom + 6}px`;
    tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - tip.offsetWidth - 8))}px`;
    target.setAttribute("aria-describedby", "tip");
  };
  for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, show);
  for (const kind of ["click", "focusout", "scroll", "golden-asking"]) document.addEventListener(kind, hide, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
}

if (isLive) {
  watchTips();
  root.id = "content";
  root.tabIndex = -1;
  document.addEventListener("golden-asking", (event) => pend(event.detail));
  // Sent by the list of conversations.
  document.addEventListener("golden-open", (event) => {
    request("open", { conversation: event.detail.id || "", turn: event.detail.turn, cite: event.detail.cite });
  });
  window.addEventListener("popstate", () => {
    const query = new URLSearchParams(location.search);
    request("open", { conversation: query.get("c") || "", turn: query.get("turn") || "", cite: query.get("cite") || "" });
  });
}
watch("value", showTalk);
showTalk();
