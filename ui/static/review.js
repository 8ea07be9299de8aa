// A run that goes on is followed from wherever its page is opened, and again behind whatever is done meanwhile.
let followedAt = -1;

function followRun() {
  const run = root.querySelector("[data-follow]");
  if (!run || root.hasAttribute("aria-busy") || turn === followedAt) return;
  send("follow", run, true);
  followedAt = turn;
}

watch("value", followRun);
followRun();
