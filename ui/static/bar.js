// Without links to other pages, the bar is lower. This is stored, so that the next page reserves the right height at once.
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

// HTTP 401 means that the login has ended: reload the page, which leads to the login. During a logout, another request
// may be refused first; a reload would then replace the page that confirms the logout.
const fetchPlainly = window.fetch;
window.fetch = async (...given) => {
  try {
    const answer = await fetchPlainly(...given);
    if (answer.status === 401 && !loggingOut) location.reload();
    // A proxy answers with these if the server is down.
    if (answer.status >= 502 && answer.status <= 504) lookForServer();
    return answer;
  } catch (error) {
    if (error.name !== "AbortError") setTimeout(lookForServer, FIRST_LOOK_MS);
    throw error;
  }
};

// While the server cannot be reached, the page says so; an event tells its parts to save drafts. Once the server is back,
// the page is reloaded. The first check is delayed: requests also fail because the user is leaving the page.
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

// A page that waits for an answer sends no requests, so it would not notice that the server is down or hangs.
setInterval(() => { if (document.querySelector('[aria-busy="true"]')) lookForServer(); }, PATIENCE_MS);

watch("value", show);
show();
