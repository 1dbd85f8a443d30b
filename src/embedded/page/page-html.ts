/** The page, which the script fills. */
export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Embedded service</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
<script src="/page.js" type="module"></script>
</head>
<body>
<header class="top">
  <div>
    <p class="kicker">Embedded ingestion service</p>
    <h1 id="headline" aria-live="polite">Loading …</h1>
    <p class="about">What has arrived at the service: the other side of the watched folders. For trials and tests, on this machine only.</p>
  </div>
  <p id="live" class="live" role="status">connecting</p>
</header>
<main>
  <form id="search" class="search" role="search" hidden>
    <label for="words">Search</label>
    <input id="words" type="search" autocomplete="off" placeholder="name, title, tag, company, author or document id">
  </form>
  <section id="empty" class="empty" hidden>
    <h2>Nothing here yet</h2>
    <p>Drop a file into a watched folder. It appears here within seconds, with its metadata and attachments.</p>
  </section>
  <h2 id="heading" class="quiet" hidden>Newest first</h2>
  <ol id="documents" class="documents"></ol>
  <p id="more" class="more" hidden></p>
  <nav id="pages" class="pages" aria-label="Pages" hidden>
    <button id="newer" type="button">Newer</button>
    <button id="older" type="button">Older</button>
  </nav>
</main>
<noscript><p class="more">This page needs JavaScript; <a href="/documents">/documents</a> has the same as JSON.</p></noscript>
</body>
</html>
`;

/** The form that asks for the token; `message` says why it asks again, or that all is well. */
export function loginHtml(message: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Embedded service</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<main>
<p class="kicker">Embedded ingestion service</p>
<h1>This page asks for its token</h1>
<p role="alert">${message}</p>
<form method="post" action="/login" class="search">
  <label for="token">Token</label>
  <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
  <button type="submit">Open</button>
</form>
</main>
</body>
</html>
`;
}

/** The page's icon: a sheet in a tray. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2f5d8c"/>
<path d="M10 6h8l4 4v8H10z" fill="#fff"/>
<path d="M18 6v4h4" fill="none" stroke="#2f5d8c" stroke-width="1.5"/>
<path d="M6 18h6l2 3h4l2-3h6v7H6z" fill="#a9c6e4"/>
</svg>
`;

/** The page's style: light and dark, from 360 pixels to a large screen. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --card: #ffffff; --line: #dde1e7; --ink: #1c2430; --soft: #566173;
  --accent: #2f5d8c; --accent-soft: #e4edf6; --good: #1d7445; --bad: #a5322b; --mark: #fff6d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c; --card: #1a2029; --line: #2c3541; --ink: #e6eaf0; --soft: #9eabbc;
    --accent: #8fbce8; --accent-soft: #22324a; --good: #6fcf97; --bad: #f2938c; --mark: #33301d;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 60rem;
  background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
h1, h2, p, dl, dd, ol, ul { margin: 0; }
.top { display: flex; gap: 1.5rem; justify-content: space-between; align-items: flex-start; margin-bottom: 2rem; }
.kicker { color: var(--accent); font-weight: 600; font-size: .875rem; }
h1 { font-size: clamp(1.5rem, 4vw, 2.125rem); line-height: 1.2; letter-spacing: -.01em; margin: .25rem 0 .5rem; }
.about { color: var(--soft); max-width: 38rem; }
.live { display: flex; align-items: center; gap: .5rem; color: var(--soft); font-size: .875rem; white-space: nowrap; padding-top: .125rem; }
.live::before { content: ""; width: .625rem; height: .625rem; border-radius: 50%; background: var(--line); }
.live.on::before { background: var(--good); }
.live.off { color: var(--bad); }
.live.off::before { background: var(--bad); }
.quiet { font-size: .8125rem; font-weight: 600; color: var(--soft); margin-bottom: .625rem; }
.empty { border: 2px dashed var(--line); border-radius: .875rem; padding: 3rem 1.5rem; text-align: center; color: var(--soft); }
.empty h2 { font-size: 1.25rem; color: var(--ink); margin-bottom: .375rem; }
.documents { list-style: none; padding: 0; display: grid; gap: .625rem; }
.document { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; }
.document.fresh { animation: fresh 4s ease-out; }
@keyframes fresh { from { background: var(--mark); } }
@media (prefers-reduced-motion: reduce) { .document.fresh { animation: none; } }
summary { display: grid; grid-template-columns: 3.25rem minmax(0, 1fr) auto; gap: .875rem; align-items: center; padding: .875rem 1rem; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: color-mix(in srgb, var(--accent-soft) 45%, transparent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: .75rem; }
.kind { background: var(--accent-soft); color: var(--accent); border-radius: .375rem; padding: .375rem 0; font-size: .75rem; font-weight: 700; text-align: center; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.title { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
.facts { text-align: right; color: var(--soft); font-size: .875rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
.inside { border-top: 1px solid var(--line); padding: 1rem; display: grid; gap: 1.125rem; }
.inside h3 { font-size: .8125rem; color: var(--soft); font-weight: 600; margin: 0 0 .375rem; }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .25rem 1rem; font-size: .9375rem; }
dt { color: var(--soft); }
dd { overflow-wrap: anywhere; }
.mono { font-family: ui-monospace, "Cascadia Mono", Menlo, monospace; font-size: .8125rem; line-height: 1.75; }
.chips { display: flex; flex-wrap: wrap; gap: .375rem; padding: 0; list-style: none; }
.chips li { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .625rem; font-size: .875rem; overflow-wrap: anywhere; }
.chips .note { color: var(--soft); }
.files { list-style: none; padding: 0; display: grid; gap: .375rem; font-size: .9375rem; }
.files li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; }
.files .mono { grid-column: 1 / -1; color: var(--soft); overflow-wrap: anywhere; line-height: 1.4; }
.search { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: 0 0 1.25rem; }
.search label { color: var(--soft); font-size: .875rem; }
.search input { flex: 1 1 14rem; min-width: 0; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
button { font: inherit; color: var(--accent); background: none; border: 1px solid var(--accent); border-radius: .5rem; padding: .375rem .875rem; cursor: pointer; }
button:hover { background: var(--accent-soft); }
button:disabled { color: var(--soft); border-color: var(--line); cursor: default; background: none; }
.pages { display: flex; justify-content: center; gap: .75rem; padding-top: 1rem; }
a { color: var(--accent); overflow-wrap: anywhere; }
.download { justify-self: start; border: 1px solid var(--accent); border-radius: .5rem; padding: .375rem .875rem; text-decoration: none; font-size: .9375rem; }
.download:hover { background: var(--accent-soft); }
.more { text-align: center; color: var(--soft); padding-top: 1.25rem; font-size: .875rem; }
@media (max-width: 34rem) {
  body { padding: 1.5rem .875rem 3rem; }
  .top { flex-direction: column; gap: .75rem; }
  summary { grid-template-columns: 3.25rem minmax(0, 1fr); }
  .facts { grid-column: 2; text-align: left; white-space: normal; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
`;
