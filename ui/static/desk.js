// A desk: what is clicked, typed and sent goes to the server with the fields around it and the page's address.
const product = document.title;
let typing = null;
let turn = 0;
let followedAt = -1;

function place() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function send(name, node, live) {
  if (name !== "follow") root.setAttribute("aria-busy", "true");
  const values = node ? { ...node.dataset } : {};
  turn += 1;
  request("act", { action: name, values, fields: node ? fieldsAround(node) : {}, place: place(), turn: live ? turn : null });
}

function say(text, problem) {
  const line = document.getElementById("notice") || document.body.appendChild(Object.assign(document.createElement("div"), { id: "notice" }));
  line.setAttribute("role", problem ? "alert" : "status");
  line.className = problem ? "problem" : "";
  line.textContent = text;
  clearTimeout(line.hiding);
  // A problem stays until the next thing is done.
  if (text && !problem) line.hiding = setTimeout(() => { line.textContent = ""; }, 8000);
}

function show() {
  const fresh = parse(props.value);
  const whole = fresh.firstElementChild;
  // What was asked while somebody typed on, and is answered behind what they asked since.
  if (whole && whole.dataset.turn && Number(whole.dataset.turn) < turn) return;
  root.removeAttribute("aria-busy");
  if (!whole) return;
  const told = { ...whole.dataset };
  for (const name of ["notice", "focus", "place", "title", "problem", "said", "turn"]) delete whole.dataset[name];
  const followed = Number(told.turn) === followedAt;
  if (told.notice || !followed) say(told.notice || "", "problem" in told);
  if ("stay" in told) return;
  root.id = "content";
  mergeChildren(root, fresh);
  if (told.place !== undefined && told.place !== location.search.slice(1)) {
    const address = location.pathname + (told.place ? `?${told.place}` : "");
    if (typing) history.replaceState(null, "", address); else history.pushState(null, "", address);
  }
  document.title = told.title ? `${told.title} · ${product}` : product;
  const wanted = told.focus && root.querySelector(`[data-key="${CSS.escape(told.focus)}"]`);
  if (wanted) wanted.focus();
  follow(followed);
}

// What goes on by itself is followed from wherever its page is opened, and again behind whatever is done meanwhile:
// once, by an answer for each change ("stream"), or change by change ("step").
function follow(followed) {
  const going = root.querySelector("[data-follow]");
  if (!going || (turn === followedAt && !(followed && going.dataset.follow === "step"))) return;
  send("follow", going, true);
  followedAt = turn;
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled || button.matches("select, input:not([type=checkbox]):not([type=radio]), textarea")) return;
  if (button.dataset.confirm && !window.confirm(button.dataset.confirm)) return;
  typing = null;
  // What shows itself bit by bit stops showing once something else is done.
  send(button.dataset.action, button, "stream" in button.dataset);
});

element.addEventListener("change", (event) => {
  if (event.target.matches("select[data-action], input[type=date][data-action]")) send(event.target.dataset.action, event.target);
});

// A field that filters is sent while it is typed in, once the typing rests.
element.addEventListener("input", (event) => {
  const field = event.target;
  if (!field.dataset.live) return;
  clearTimeout(typing);
  typing = setTimeout(() => send(field.dataset.live, field, true), 250);
});

window.addEventListener("popstate", () => send("open", null));
watch("value", show);
show();
