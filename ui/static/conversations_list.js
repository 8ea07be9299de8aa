// The list of conversations. The search text and the number of pages are kept here and sent with each request.
let openId = "";
let wasBusy = false;
let pages = 1;
let openMenu = "";
let requestNumber = 0;
let searchTimer = null;

function searchText() {
  const field = root.querySelector("input.search");
  return field ? field.value : "";
}

function requestList(action, values, fields) {
  requestNumber += 1;
  const state = { text: searchText(), pages: String(pages), requestNumber: String(requestNumber) };
  trigger("list", { action, values: { ...values, ...state }, fields: fields || {} });
}

function all(selector) {
  return [...root.querySelectorAll(selector)];
}

// Mark the open conversation and the open menu, which the server does not know.
function markOpen() {
  for (const row of all("li.conversation")) {
    const isOpen = row.dataset.conversation === openId;
    row.classList.toggle("current", isOpen);
    const button = row.querySelector("button.open");
    if (button && isOpen) button.setAttribute("aria-current", "true"); else if (button) button.removeAttribute("aria-current");
  }
  for (const toggle of all("[data-menu]")) toggle.setAttribute("aria-expanded", String(toggle.dataset.menu === openMenu));
  for (const shown of all("[data-menu-of]")) shown.hidden = shown.dataset.menuOf !== openMenu;
}

function show() {
  const fresh = parse(props.value);
  const content = fresh.firstElementChild;
  if (!content) return;
  const attributes = { ...content.dataset };
  for (const name of ["requestNumber", "focus", "gone"]) delete content.dataset[name];
  if (attributes.gone && (attributes.gone === "*" || attributes.gone === openId)) dispatch("golden-open-conversation", { id: "" });
  // Ignore the answer to an earlier request: a later one is in progress.
  if (Number(attributes.requestNumber || 0) < requestNumber) return;
  mergeChildren(root, fresh);
  markOpen();
  const focused = attributes.focus && root.querySelector(`[data-key="${CSS.escape(attributes.focus)}"]`);
  if (focused) focused.focus();
}

function openConversation(id) {
  openMenu = "";
  markOpen();
  dispatch("golden-open-conversation", { id });
}

element.addEventListener("click", (event) => {
  const toggle = event.target.closest("[data-menu]");
  if (toggle) {
    openMenu = openMenu === toggle.dataset.menu ? "" : toggle.dataset.menu;
    return markOpen();
  }
  const button = event.target.closest("[data-action]");
  if (!button) return;
  const { action, id, confirm } = button.dataset;
  if (action === "open") return openConversation(id);
  if (action === "new") {
    openConversation("");
    const field = document.querySelector("#composer textarea");
    if (field) field.focus();
    return;
  }
  if (confirm && !window.confirm(confirm)) return;
  const title = action === "rename" ? window.prompt(button.dataset.ask, button.dataset.title) : "";
  if (action === "more") pages += 1;
  openMenu = "";
  requestList(action, { id: id || "" }, { title: title || "" });
});

element.addEventListener("input", (event) => {
  if (!event.target.matches("input.search")) return;
  clearTimeout(searchTimer);
  pages = 1;
  searchTimer = setTimeout(() => requestList("list"), 250);
});

element.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !openMenu) return;
  // Escape closes the menu only, not the list.
  event.preventDefault();
  const toggle = root.querySelector(`[data-menu="${CSS.escape(openMenu)}"]`);
  openMenu = "";
  markOpen();
  if (toggle) toggle.focus();
});

document.addEventListener("golden-conversation-state", (event) => {
  const { id, busy, exchanges } = event.detail;
  const hasEnded = wasBusy && !busy;
  wasBusy = busy;
  openId = id;
  const isListed = all("li.conversation").some((row) => row.dataset.conversation === id);
  // A finished answer moves its conversation to the top. A conversation without a question is not listed.
  if (!busy && exchanges && (hasEnded || !isListed)) requestList("list"); else markOpen();
});

watch("value", show);
show();
openId = conversationState().conversation || "";
requestList("list");
