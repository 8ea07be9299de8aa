// Entry point: reads the attributes of the script tag and adds the widget's element to the page.

// document.currentScript is null in a module: find the tag by its URL.
const TAG = document.currentScript || [...document.querySelectorAll("script[src]")].find((each) => /\/widget\.js(\?|$)/.test(each.src));
const BASE = TAG && TAG.src ? new URL(".", TAG.src).href : new URL("/", location.href).href;
const SETTINGS = { ...(TAG ? TAG.dataset : {}) };
const DARK_QUERY = "(prefers-color-scheme: dark)";

// The page's function for tokens: the one that data-token names ("auth.token"), else GoldenRetriever.token.
function tokenHook() {
  const named = (SETTINGS.token || "").split(".").filter(Boolean).reduce((value, name) => (value ? value[name] : undefined), window);
  const hook = SETTINGS.token ? named : (window.GoldenRetriever || {}).token;
  return typeof hook === "function" ? hook : null;
}

function splitList(text) {
  return String(text || "").split("|").map((each) => each.trim()).filter(Boolean);
}

class GoldenRetrieverElement extends HTMLElement {
  static observedAttributes = ["theme"];

  connectedCallback() {
    if (this.dialog) return;
    // Open, so that the page's tests and tools can inspect it. Styles are isolated in either mode.
    const shadow = this.attachShadow({ mode: "open", delegatesFocus: false });
    this.addStyles(shadow);
    const texts = textsFor(SETTINGS.language || document.documentElement.lang || navigator.language);
    this.root = make("div", { class: "root", lang: texts.language, dir: getComputedStyle(this).direction, "data-side": SETTINGS.position === "left" ? "left" : "right" });
    shadow.append(this.root);
    this.watchScheme();
    // Typing here must not trigger the page's keyboard shortcuts.
    for (const kind of ["keydown", "keyup", "keypress"]) shadow.addEventListener(kind, (event) => event.stopPropagation());
    const client = new ApiClient(BASE, {
      key: SETTINGS.key, token: tokenHook, department: SETTINGS.department, model: SETTINGS.model,
      documents: (SETTINGS.documents || "").split(/\s+/).filter(Boolean),
    });
    this.dialog = new Dialog(this.root, client, {
      texts,
      title: SETTINGS.title || texts.title,
      department: SETTINGS.department || "",
      contact: SETTINGS.contact || "",
      examples: splitList(SETTINGS.examples),
      storageKey: `golden-retriever ${BASE}`,
    });
  }

  attributeChangedCallback() {
    if (this.dialog) this.showScheme();
  }

  // A constructed stylesheet is allowed by every content security policy.
  addStyles(shadow) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    shadow.adoptedStyleSheets = [sheet];
  }

  watchScheme() {
    matchMedia(DARK_QUERY).addEventListener("change", () => this.showScheme());
    this.showScheme();
  }

  showScheme() {
    const theme = this.getAttribute("theme") || SETTINGS.theme;
    const dark = theme === "dark" || (theme !== "light" && matchMedia(DARK_QUERY).matches);
    this.root.dataset.scheme = dark ? "dark" : "light";
  }
}

function start() {
  if (customElements.get("golden-retriever")) return;
  customElements.define("golden-retriever", GoldenRetrieverElement);
  const element = document.querySelector("golden-retriever") || document.body.appendChild(document.createElement("golden-retriever"));
  const ask = (question) => {
    element.dialog.open();
    return element.dialog.ask(String(question));
  };
  const api = { open: () => element.dialog.open(), close: () => element.dialog.close(), ask };
  window.GoldenRetriever = Object.assign(window.GoldenRetriever || {}, api);
}

if (document.body) start();
else document.addEventListener("DOMContentLoaded", start, { once: true });
