// The list of conversations comes and goes by the button in the bar, where there is no room for it beside the chat.
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-toggle]");
  if (!button) return;
  const open = document.body.classList.toggle("sidebar-open");
  button.setAttribute("aria-expanded", String(open));
});
document.addEventListener("golden-open", () => document.body.classList.remove("sidebar-open"));
