// Keyboard shortcuts: / goes to the search field, arrows move between rows and tabs, Escape cancels, Ctrl+Enter saves.
function moveFocus(selector, from, step) {
  const all = [...root.querySelectorAll(selector)];
  const next = all[all.indexOf(from) + step];
  if (next) next.focus();
  return Boolean(next);
}

root.addEventListener("keydown", (event) => {
  const target = event.target;
  const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const isVertical = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (step && isVertical && target.matches("[data-row]") && moveFocus("[data-row]", target, step)) event.preventDefault();
  if (step && !isVertical && target.matches("[role=tab]") && moveFocus("[role=tab]", target, step)) event.preventDefault();
  if (event.key === "Escape" && !event.isComposing) {
    const cancel = target.closest("[data-form]")?.querySelector("[data-cancel]") || root.querySelector("[data-cancel]");
    if (cancel) cancel.click();
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.nodeName === "TEXTAREA") {
    target.closest("[data-form]")?.querySelector("[data-submit]")?.click();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, textarea, select, [contenteditable]")) return;
  const field = root.querySelector('[data-key="filter"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
});

// The browser sends a file to the API twice, to preview and to import it; the page shows the API's response.
const MAX_CHARACTERS = 900000;

async function sendFiles(form, query) {
  const body = new FormData();
  for (const field of form.querySelectorAll("input[type=file]")) if (field.files[0]) body.append(field.name, field.files[0]);
  const answer = await fetch(`${form.dataset.path}?${query}`, { method: "POST", body, headers: { "X-Golden-Request": "1" } });
  return { ok: answer.ok, text: await answer.text() };
}

async function runImport(form, isPreview) {
  if (![...form.querySelectorAll("input[type=file]")].some((field) => field.files[0])) return;
  root.setAttribute("aria-busy", "true");
  try {
    let answer = await sendFiles(form, isPreview ? "preview=true&rows=300" : "preview=false");
    // The rows are too long to show: get the counts without them.
    if (answer.ok && answer.text.length > MAX_CHARACTERS) answer = await sendFiles(form, "preview=true&rows=0");
    const action = !answer.ok ? "import_refused" : isPreview ? "previewed" : "imported";
    if (action === "imported") for (const field of form.querySelectorAll("input[type=file]")) field.value = "";
    request("act", { action, values: { result: answer.text.slice(0, MAX_CHARACTERS) }, fields: {}, place: place(), requestNumber: null });
  } catch {
    root.removeAttribute("aria-busy");
    showNotice(form.dataset.broken, true);
  }
}

root.addEventListener("change", (event) => {
  if (event.target.matches("input[data-upload]")) runImport(event.target.closest("[data-import-form]"), true);
});

root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-import]");
  if (button) runImport(button.closest("[data-import-form]"), false);
});
