// Keyboard shortcuts: / goes to the search field, arrows move between rows and tabs, Escape cancels, Ctrl+Enter saves.
function step(of, from, way) {
  const all = [...root.querySelectorAll(of)];
  const next = all[all.indexOf(from) + way];
  if (next) next.focus();
  return Boolean(next);
}

root.addEventListener("keydown", (event) => {
  const at = event.target;
  const way = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const upright = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (way && upright && at.matches("[data-row]") && step("[data-row]", at, way)) event.preventDefault();
  if (way && !upright && at.matches("[role=tab]") && step("[role=tab]", at, way)) event.preventDefault();
  if (event.key === "Escape" && !event.isComposing) {
    const open = at.closest("[data-form]")?.querySelector("[data-cancel]") || root.querySelector("[data-cancel]");
    if (open) open.click();
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && at.nodeName === "TEXTAREA") {
    at.closest("[data-form]")?.querySelector("[data-submit]")?.click();
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
const MOST_CHARACTERS = 900000;

async function bringIn(part, query) {
  const body = new FormData();
  for (const field of part.querySelectorAll("input[type=file]")) if (field.files[0]) body.append(field.name, field.files[0]);
  const answer = await fetch(`${part.dataset.path}?${query}`, { method: "POST", body, headers: { "X-Golden-Request": "1" } });
  return { ok: answer.ok, text: await answer.text() };
}

async function runImport(part, isPreview) {
  if (![...part.querySelectorAll("input[type=file]")].some((field) => field.files[0])) return;
  root.setAttribute("aria-busy", "true");
  try {
    let answer = await bringIn(part, isPreview ? "preview=true&rows=300" : "preview=false");
    // The rows are too long to show: get the counts without them.
    if (answer.ok && answer.text.length > MOST_CHARACTERS) answer = await bringIn(part, "preview=true&rows=0");
    const action = !answer.ok ? "import_refused" : isPreview ? "previewed" : "imported";
    if (action === "imported") for (const field of part.querySelectorAll("input[type=file]")) field.value = "";
    request("act", { action, values: { result: answer.text.slice(0, MOST_CHARACTERS) }, fields: {}, place: place(), turn: null });
  } catch {
    root.removeAttribute("aria-busy");
    say(part.dataset.broken, true);
  }
}

root.addEventListener("change", (event) => {
  if (event.target.matches("input[data-upload]")) runImport(event.target.closest("[data-import-form]"), true);
});

root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-import]");
  if (button) runImport(button.closest("[data-import-form]"), false);
});
