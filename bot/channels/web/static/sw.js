// The page without a network: newest from the server, else what was kept. Talks are never kept here.
const KEPT = "xuanka-RELEASE";
const FILES = ["/", "/static/chat.js", "/static/blocks.js", "/static/outbox.js", "/static/chat.css", "/static/icon.svg", "/manifest.webmanifest"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((all) => Promise.all(all.filter((one) => one !== KEPT).map((one) => caches.delete(one)))).then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || !FILES.includes(pathname)) return;
  event.respondWith(fetch(event.request).then((response) => {
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(caches.open(KEPT).then((kept) => kept.put(pathname, copy)));
    }
    return response;
  }).catch(() => caches.match(pathname)));
});
