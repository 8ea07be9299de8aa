// On narrow screens, a button in the top bar opens the list of conversations over the chat. The state is an attribute of
// the list: in media queries, Gradio prefixes every selector with its container, so a rule cannot start at the body.
function sidebarToggle() {
  return root.querySelector("[data-toggle]");
}

function showSidebar(open) {
  const sidebar = document.getElementById("sidebar");
  if (sidebar.hasAttribute("data-open") === open) return;
  const focused = sidebar.contains(document.activeElement);
  sidebar.toggleAttribute("data-open", open);
  sidebarToggle().setAttribute("aria-expanded", String(open));
  if (open) sidebar.querySelector("button, input").focus();
  else if (focused) sidebarToggle().focus();
}

element.addEventListener("click", (event) => {
  if (event.target.closest("[data-toggle]")) showSidebar(!document.getElementById("sidebar").hasAttribute("data-open"));
});
for (const kind of ["click", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const path = event.composedPath();
    if (!path.includes(document.getElementById("sidebar")) && !path.includes(sidebarToggle())) showSidebar(false);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) showSidebar(false);
});
document.addEventListener("golden-open-conversation", () => showSidebar(false));
