// Builds DOM elements. Text from users and documents becomes text nodes only, never markup.

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  ask: ["M4 5.5h16v10.5h-8.5L7 20v-4H4z", "M8 9.3h8M8 12.3h5"],
  close: ["M6 6l12 12M18 6L6 18"],
  add: ["M12 5v14M5 12h14"],
  send: ["M5 12h13M12.5 6l6 6-6 6"],
  stop: ["M7.5 7.5h9v9h-9z"],
  up: ["M8 11v8H5v-8zM8 11l3.5-6.5c1.6 0 2.4 1 2.1 2.5L13 10h5c1.3 0 2 .9 1.7 2.1l-1.3 5.3c-.2 1-1 1.6-2 1.6H8"],
  down: ["M16 13V5h3v8zM16 13l-3.5 6.5c-1.6 0-2.4-1-2.1-2.5L11 14H6c-1.3 0-2-.9-1.7-2.1l1.3-5.3c.2-1 1-1.6 2-1.6H16"],
  copy: ["M9 9h10v10H9z", "M15 9V5H5v10h4"],
  open: ["M6 9l6 6 6-6"],
  retry: ["M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4"],
};

// `children` are nodes, strings, arrays of them, or null. Attributes that begin with "on" are event listeners.
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  if (tag === "button" && !node.hasAttribute("type")) node.type = "button";
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return node;
}

function icon(name) {
  const drawn = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" })) drawn.setAttribute(key, value);
  for (const line of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    drawn.append(path);
  }
  return drawn;
}

function iconButton(name, label, onclick, attributes) {
  return make("button", { class: "icon", "aria-label": label, title: label, onclick, ...attributes }, icon(name));
}

// A button that shows and hides `body`.
function disclosure(attributes, label, body, onchange) {
  const button = make("button", { ...attributes, "aria-expanded": "false", onclick: () => set(body.hidden) }, label);
  function set(shown) {
    body.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    if (onchange) onchange(shown);
  }
  body.hidden = true;
  return { button, set };
}

// Returns the URL if it is absolute and http or https, else "": answers must not link to anything else.
function webAddress(text) {
  try {
    const address = new URL(String(text));
    return address.protocol === "https:" || address.protocol === "http:" ? address.href : "";
  } catch {
    return "";
  }
}

function link(address, ...children) {
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer", referrerpolicy: "no-referrer" }, ...children);
}

function percent(value) {
  return `${Math.round(Math.min(1, Math.max(0, Number(value) || 0)) * 100)} %`;
}

// The clipboard API needs a secure origin, which many intranets lack; the fallback copies a selection.
async function copyText(text, root) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = make("textarea", { class: "sr", "aria-hidden": "true", tabindex: "-1" });
    box.value = text;
    const focused = root.getRootNode().activeElement;
    root.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    if (focused) focused.focus();
    return done;
  }
}
