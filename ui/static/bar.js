// Without links to other pages, the bar is lower. This is stored, so that the next page reserves the right height at once.
function storePages(pages) {
  element.closest("#top").dataset.pages = localStorage["golden-retriever-pages"] = pages;
}

if (localStorage["golden-retriever-pages"]) storePages(localStorage["golden-retriever-pages"]);

function show() {
  const fresh = parse(props.value);
  const lang = fresh.firstElementChild && fresh.firstElementChild.dataset.lang;
  if (lang) {
    document.documentElement.lang = lang;
    storePages(fresh.querySelector(".pages") ? "some" : "none");
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
const originalFetch = window.fetch;
window.fetch = async (...args) => {
  try {
    const answer = await originalFetch(...args);
    if (answer.status === 401 && !loggingOut) location.reload();
    // A proxy answers with these if the server is down.
    if (answer.status >= 502 && answer.status <= 504) waitForServer();
    return answer;
  } catch (error) {
    if (error.name !== "AbortError") setTimeout(waitForServer, FIRST_CHECK_MS);
    throw error;
  }
};

// While the server cannot be reached, the page says so; an event tells its parts to save drafts. Once the server is back,
// the page is reloaded. The first check is delayed: requests also fail because the user is leaving the page.
const FIRST_CHECK_MS = 500;
const CHECK_INTERVAL_MS = 2000;
const CHECK_TIMEOUT_MS = 10000;
let waiting = false;

async function isReachable(address) {
  try {
    return (await originalFetch(address, { cache: "no-store", signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })).ok;
  } catch (unreachable) {
    return false;
  }
}

async function waitForServer() {
  const message = root.querySelector(".unreachable");
  if (waiting || !message) return;
  waiting = true;
  while (!(await isReachable(message.dataset.healthUrl))) {
    if (message.hidden) document.dispatchEvent(new CustomEvent("golden-server-unreachable"));
    message.hidden = false;
    await new Promise((done) => setTimeout(done, CHECK_INTERVAL_MS));
  }
  waiting = false;
  if (!message.hidden) location.reload();
}

// A page that waits for an answer sends no requests, so it would not notice that the server is down or hangs.
setInterval(() => { if (document.querySelector('[aria-busy="true"]')) waitForServer(); }, CHECK_TIMEOUT_MS);

watch("value", show);
show();
