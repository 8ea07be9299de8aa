// Whoever has the chat alone has a lower bar: the next page that is opened knows it from its start.
function remember(pages) {
  element.closest("#top").dataset.pages = localStorage["golden-retriever-pages"] = pages;
}

if (localStorage["golden-retriever-pages"]) remember(localStorage["golden-retriever-pages"]);

function show() {
  const fresh = parse(props.value);
  const lang = fresh.firstElementChild && fresh.firstElementChild.dataset.lang;
  if (lang) {
    document.documentElement.lang = lang;
    remember(fresh.querySelector(".pages") ? "some" : "none");
  }
  mergeChildren(root, fresh);
}

element.addEventListener("change", (event) => {
  if (event.target.dataset.choice) trigger("choose", { [event.target.dataset.choice]: event.target.value });
});

// The server answers a logout with the page to open next.
let loggingOut = false;
element.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-post]");
  if (!button) return;
  loggingOut = true;
  try {
    const answer = await fetch(button.dataset.post, { method: "POST", headers: { "X-Golden-Request": "1" } });
    location.assign(answer.redirected ? answer.url : button.dataset.post.replace(/logout$/, ""));
  } catch (error) {
    loggingOut = false;
    throw error;
  }
});

// The next request of a page shows that its login has ended: the page is opened again, and leads to the login. During
// a logout, another request may be refused first; opening the page again would then replace the page that says so.
const fetchPlainly = window.fetch;
window.fetch = async (...given) => {
  try {
    const answer = await fetchPlainly(...given);
    if (answer.status === 401 && !loggingOut) location.reload();
    // A proxy answers in the place of a server that is gone.
    if (answer.status >= 502 && answer.status <= 504) lookForServer();
    return answer;
  } catch (error) {
    if (error.name !== "AbortError") setTimeout(lookForServer, FIRST_LOOK_MS);
    throw error;
  }
};

// A server that is gone is said to be; the page is opened again once it is back. What a page has in the making is told
// to be kept. A request that fails because the page is being left finds nobody to look for the server.
const FIRST_LOOK_MS = 500;
const NEXT_LOOK_MS = 2000;
const PATIENCE_MS = 10000;
let looking = false;

async function isThere(address) {
  try {
    return (await fetchPlainly(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) })).ok;
  } catch (unreachable) {
    return false;
  }
}

async function lookForServer() {
  const line = root.querySelector(".unreachable");
  if (looking || !line) return;
  looking = true;
  while (!(await isThere(line.dataset.alive))) {
    if (line.hidden) document.dispatchEvent(new CustomEvent("golden-unreachable"));
    line.hidden = false;
    await new Promise((done) => setTimeout(done, NEXT_LOOK_MS));
  }
  looking = false;
  if (!line.hidden) location.reload();
}

// Nothing else would notice a server that goes away, or hangs, while a page waits for its answer.
setInterval(() => { if (document.querySelector('[aria-busy="true"]')) lookForServer(); }, PATIENCE_MS);

watch("value", show);
show();
