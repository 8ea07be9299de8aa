function show() {
  const fresh = parse(props.value);
  const lang = fresh.firstElementChild && fresh.firstElementChild.dataset.lang;
  if (lang) document.documentElement.lang = lang;
  mergeChildren(root, fresh);
}

element.addEventListener("change", (event) => {
  if (event.target.dataset.choice) trigger("choose", { [event.target.dataset.choice]: event.target.value });
});

// Logging out is a request of its own; where it leads is the server's to say.
element.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-post]");
  if (!button) return;
  const answer = await fetch(button.dataset.post, { method: "POST", headers: { "X-Golden-Request": "1" } });
  location.assign(answer.redirected ? answer.url : button.dataset.post.replace(/logout$/, ""));
});

// A login that has ended is told by the next thing that a page asks: it is opened again, and leads to the login.
const fetchPlainly = window.fetch;
window.fetch = async (...given) => {
  const answer = await fetchPlainly(...given);
  if (answer.status === 401) location.reload();
  return answer;
};

watch("value", show);
show();
