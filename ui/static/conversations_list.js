// The list of conversations. The search text and the number of pages are kept here and sent with each request.
let open = "";
let busyBefore = false;
let pages = 1;
let menu = "";
let turn = 0;
let typing = null;

function searched() {
  const field = root.querySelector("input.search");
  return field ? field.value : "";
}

function list(action, values, fields) {
  turn += 1;
  const state = { text: searched(), pages: String(pages), offset: String(-new Date().getTimezoneOffset()), turn: String(turn) };
  trigger("list", { action, values: { ...values, ...state }, fields: fields || {} });
}

function each(selector) {
  return [...root.querySelectorAll(selector)];
}

// Mark the open conversation and the open menu, which the server does not know.
function settle() {
  for (const row of each("li.kept")) {
    const here = row.dataset.of === open;
    row.classList.toggle("current", here);
    const button = row.querySelector("button.open");
    if (button && here) button.setAttribute("aria-current", "true"); else if (button) button.removeAttribute("aria-current");
  }
  for (const toggle of each("[data-menu]")) toggle.setAttribute("aria-expanded", String(toggle.dataset.menu === menu));
  for (const shown of each("[data-menu-of]")) shown.hidden = shown.dataset.menuOf !== menu;
}

function show() {
  const fresh = parse(props.value);
  const whole = fresh.firstElementChild;
  if (!whole) return;
  const told = { ...whole.dataset };
  for (const name of ["turn", "focus", "gone"]) delete whole.dataset[name];
  if (told.gone && (told.gone === "*" || told.gone === open)) tell("golden-open", { id: "" });
  // Ignore the answer to an earlier request: a later one is on its way.
  if (Number(told.turn || 0) < turn) return;
  mergeChildren(root, fresh);
  settle();
  const wanted = told.focus && root.querySelector(`[data-key="${CSS.escape(told.focus)}"]`);
  if (wanted) wanted.focus();
}

function choose(id) {
  menu = "";
  settle();
  tell("golden-open", { id });
}

element.addEventListener("click", (event) => {
  const toggle = event.target.closest("[data-menu]");
  if (toggle) {
    menu = menu === toggle.dataset.menu ? "" : toggle.dataset.menu;
    return settle();
  }
  const button = event.target.closest("[data-action]");
  if (!button) return;
  const { action, id, confirm } = button.dataset;
  if (action === "open") return choose(id);
  if (action === "new") {
    choose("");
    const field = document.querySelector("#composer textarea");
    if (field) field.focus();
    return;
  }
  if (confirm && !window.confirm(confirm)) return;
  const title = action === "rename" ? window.prompt(button.dataset.ask, button.dataset.title) : "";
  if (action === "more") pages += 1;
  menu = "";
  list(action, { id: id || "" }, { title: title || "" });
});

element.addEventListener("input", (event) => {
  if (!event.target.matches("input.search")) return;
  clearTimeout(typing);
  pages = 1;
  typing = setTimeout(() => list("list"), 250);
});

element.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu) return;
  // Escape closes the menu only, not the list.
  event.preventDefault();
  const toggle = root.querySelector(`[data-menu="${CSS.escape(menu)}"]`);
  menu = "";
  settle();
  if (toggle) toggle.focus();
});

document.addEventListener("golden-conversation", (event) => {
  const { id, busy, exchanges } = event.detail;
  const ended = busyBefore && !busy;
  busyBefore = busy;
  open = id;
  const there = each("li.kept").some((row) => row.dataset.of === id);
  // A finished answer moves its conversation to the top. A conversation without a question is not listed.
  if (!busy && exchanges && (ended || !there)) list("list"); else settle();
});

watch("value", show);
show();
open = stateOf().conversation || "";
list("list");
