/** The page: a frame that the script fills. */
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
    <h1 id="verdict" aria-live="polite">Loading …</h1>
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
