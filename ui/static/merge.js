// Runs once for each HTML part of a page with `element`, `props`, `trigger` and `watch` given by Gradio.
// The value is HTML that the server escaped; it is merged into the page so that what is open, typed or focused stays so.
const root = element.querySelector("[data-root]");

function sameNode(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName &&
    (old.nodeType !== 1 || (old.dataset.key || "") === (fresh.dataset.key || ""));
}

function mergeField(old, fresh) {
  if (old.nodeName === "INPUT" || old.nodeName === "TEXTAREA") {
    const before = old.nodeName === "INPUT" ? old.getAttribute("value") || "" : old.textContent;
    const now = fresh.nodeName === "INPUT" ? fresh.getAttribute("value") || "" : fresh.textContent;
    // What the server changed is shown; what a person typed since stays where it did not, and where they still type.
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
  if (old.nodeName === "DETAILS") fresh.open = old.open;
  const settle = mergeField(old, fresh);
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
  // What a page's own script fills is left to it.
  if (!("own" in fresh.dataset)) mergeChildren(old, fresh);
  if (settle) settle();
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

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html || "";
  return template.content;
}
