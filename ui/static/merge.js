// Runs once for each HTML part of a page, with Gradio's `element`, `props`, `trigger` and `watch`. The value is HTML that
// the server has escaped. It is merged into the page, so that open elements, typed text and the focus are kept.
const root = element.querySelector("[data-root]");

// Gradio's queue sends answers over an event stream that it closes when nothing is pending. If Gradio's client notices
// the close only after the next event was sent, nobody reads that event's answer. One more event opens a new stream,
// which delivers it.
const ANSWER_TIMEOUT_MS = 1000;
const MAX_ANSWER_TIMEOUT_MS = 16000;
let waitingPart = "";
let reconnectTimer = 0;

// Send an event through the queue. `answering` is the part of the page that shows the answer.
function request(name, detail, answering) {
  trigger(name, detail);
  waitingPart = answering || root.dataset.root;
  reconnectAfter(ANSWER_TIMEOUT_MS);
}

function reconnectAfter(wait) {
  clearTimeout(reconnectTimer);
  if (wait <= MAX_ANSWER_TIMEOUT_MS) reconnectTimer = setTimeout(() => { trigger("reconnect"); reconnectAfter(2 * wait); }, wait);
}

document.addEventListener("golden-part-updated", (event) => {
  if (event.detail !== waitingPart) return;
  // This may be the answer to an earlier event, such as the opening of the page: one more stream delivers an answer that
  // is still missing.
  waitingPart = "";
  clearTimeout(reconnectTimer);
  reconnectTimer = setTimeout(() => trigger("reconnect"), ANSWER_TIMEOUT_MS);
});
watch("value", () => document.dispatchEvent(new CustomEvent("golden-part-updated", { detail: root.dataset.root })));

function sameNode(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName &&
    (old.nodeType !== 1 || (old.dataset.key || "") === (fresh.dataset.key || ""));
}

function mergeField(old, fresh) {
  if (old.nodeName === "INPUT" || old.nodeName === "TEXTAREA") {
    const before = old.nodeName === "INPUT" ? old.getAttribute("value") || "" : old.textContent;
    const now = fresh.nodeName === "INPUT" ? fresh.getAttribute("value") || "" : fresh.textContent;
    // Show values that the server changed. Keep typed text otherwise, and in a live field that has the focus.
    if (before !== now && !(old.dataset.live && old === document.activeElement)) return () => { old.value = now; };
    if (old.type === "checkbox" && old.hasAttribute("checked") !== fresh.hasAttribute("checked")) {
      return () => { old.checked = fresh.hasAttribute("checked"); };
    }
  }
  if (old.nodeName === "SELECT") {
    const chosen = (select) => { const option = select.querySelector("option[selected]"); return option ? option.value : ""; };
    const now = chosen(fresh);
    if (chosen(old) !== now) return () => { old.value = now; };
  }
  return null;
}

function merge(old, fresh) {
  if (old.nodeType !== 1) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.nodeName === "DETAILS" || old.nodeName === "DIALOG") fresh.open = old.open;
  const updateField = mergeField(old, fresh);
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
  // Elements with data-script-content are filled by the page's own script.
  if (!("scriptContent" in fresh.dataset)) mergeChildren(old, fresh);
  if (updateField) updateField();
}

function mergeChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, place) => {
    const rest = [...old.childNodes].slice(place);
    const key = node.nodeType === 1 ? node.dataset.key : undefined;
    const match = key ? rest.find((each) => sameNode(each, node)) : rest[0] && sameNode(rest[0], node) ? rest[0] : null;
    if (!match) return void old.insertBefore(node, old.childNodes[place] || null);
    if (match !== old.childNodes[place]) old.insertBefore(match, old.childNodes[place]);
    merge(match, node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

// The fields of the form around a button, by name. Fields with the same name are joined by newlines.
function fieldsAround(node) {
  const form = node.closest("[data-form]");
  const fields = {};
  for (const each of form ? form.querySelectorAll("input[name], select[name], textarea[name]") : []) {
    if ((each.type === "checkbox" || each.type === "radio") && !each.checked) continue;
    fields[each.name] = each.name in fields ? `${fields[each.name]}\n${each.value}` : each.value;
  }
  return fields;
}

// Enter in an input presses the form's submit button.
element.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.nodeName !== "INPUT" || event.isComposing) return;
  const form = event.target.closest("[data-form]");
  const button = form && form.querySelector("[data-submit]");
  if (!button) return;
  event.preventDefault();
  button.click();
});

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html || "";
  return template.content;
}
