import { escapeCharacter, unprintable } from '../../lib/text/printable.ts';
import { sizeWords } from '../../lib/text/amounts.ts';

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Embedded service</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
`;

/** The page, which the script fills. */
export const pageHtml = `${head}<script src="/page.js" type="module"></script>
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
  return `${head}</head>
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

/**
 * The page's script: asks for the list every second and a half while it is on the screen, and touches only what
 * changed. Whatever comes from a document is set as text, never as markup.
 */
export const pageScript = `const everyMs = 1500;
const pageSize = 50;
const printable = (text) => text.replaceAll(${unprintable}, ${escapeCharacter.toString()});
const size = ${sizeWords.toString()};
const byId = (id) => document.getElementById(id);
const shown = new Map();
let tag = '';
let words = '';
let offset = 0;
let first = true;
let timer = 0;
let asked = 0;

async function refresh() {
  clearTimeout(timer);
  // An answer to an older question comes too late.
  const mine = asked += 1;
  const query = '?' + new URLSearchParams({ search: words, offset, limit: pageSize });
  try {
    const answer = await fetch('/documents' + query, { cache: 'no-store', headers: tag ? { 'If-None-Match': tag } : {} });
    const list = answer.status === 200 ? await answer.json() : null;
    if (mine !== asked) return;
    if (list !== null) {
      if (offset > 0 && offset >= list.found) { show(Math.max(0, list.found - pageSize)); return; }
      tag = answer.headers.get('ETag') ?? '';
      render(list);
    } else if (answer.status !== 304) throw new Error('status ' + answer.status);
    live('on', 'live');
    showAges();
  } catch {
    if (mine !== asked) return;
    live('off', 'the service does not answer');
  }
  if (!document.hidden) timer = setTimeout(refresh, everyMs);
}

function live(state, words) {
  const element = byId('live');
  element.className = 'live ' + state;
  if (element.textContent !== words) element.textContent = words;
}

function render({ total, totalBytes, found, documents }) {
  const headline = total === 0 ? 'No documents yet'
    : total.toLocaleString('en') + (total === 1 ? ' document, ' : ' documents, ') + size(totalBytes);
  if (byId('headline').textContent !== headline) byId('headline').textContent = headline;
  byId('empty').hidden = total > 0;
  byId('heading').hidden = total === 0;
  byId('search').hidden = total === 0;
  byId('pages').hidden = found <= pageSize && offset === 0;
  byId('newer').disabled = offset === 0;
  byId('older').disabled = offset + documents.length >= found;
  byId('more').hidden = total === 0 || (found === total && found <= pageSize);
  byId('more').textContent = found === 0 ? 'Nothing matches the search.'
    : (offset + 1).toLocaleString('en') + ' to ' + (offset + documents.length).toLocaleString('en') + ' of ' + found.toLocaleString('en');
  const list = byId('documents');
  const wanted = new Set(documents.map((doc) => doc.docId));
  for (const [docId, entry] of shown) if (!wanted.has(docId)) { entry.item.remove(); shown.delete(docId); }
  documents.forEach((doc, place) => {
    const item = itemOf(doc);
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
  });
  first = false;
}

function itemOf(doc) {
  const text = JSON.stringify(doc);
  const known = shown.get(doc.docId);
  if (known?.text === text) return known.item;
  const item = known?.item ?? make('li', 'document');
  const details = make('details');
  details.open = known?.item.querySelector('details')?.open ?? false;
  details.append(summaryOf(doc), insideOf(doc));
  const focused = known !== undefined && item.contains(document.activeElement);
  item.replaceChildren(details);
  if (focused) details.querySelector('summary').focus();
  item.classList.toggle('fresh', !first);
  shown.set(doc.docId, { item, text });
  return item;
}

function summaryOf(doc) {
  const names = make('div');
  names.append(make('div', 'name', doc.fileName));
  if (doc.metadata.title) names.append(make('div', 'title', doc.metadata.title));
  const count = doc.attachments.length;
  const facts = make('div', 'facts', size(doc.size) + (count ? ' + ' + plural(count, 'attachment') : ''));
  const when = make('time', 'age');
  when.dateTime = doc.modifiedAt ?? doc.uploadedAt;
  when.title = moment(when.dateTime);
  when.dataset.word = doc.modifiedAt ? 'modified' : 'uploaded';
  const line = make('div');
  line.append(when);
  facts.append(line);
  const summary = make('summary');
  summary.append(make('span', 'kind', doc.fileName.split('.').at(-1).toUpperCase()), names, facts);
  return summary;
}

function insideOf(doc) {
  const { metadata } = doc;
  const inside = make('div', 'inside');
  const link = make('a', 'download', 'Download ' + size(doc.size));
  link.href = '/documents/' + encodeURIComponent(doc.docId) + '/content';
  inside.append(
    pairs([
      ['Title', metadata.title],
      ['Sharing', metadata.shareInfo?.mode],
      ['Owner', doc.owner],
      ['Authors', metadata.docAuthors?.map((author) => author.authorName).join(', ')],
      ['Created', metadata.createdTimestamp && moment(metadata.createdTimestamp)],
      ['Source type', metadata.sourceType],
      ['Document URL', metadata.documentUrl],
      ['Uploaded', moment(doc.uploadedAt)],
      ['Modified', doc.modifiedAt && moment(doc.modifiedAt)],
      ['Document ID', doc.docId, 'mono'],
      ['SHA-256', doc.sha256, 'mono'],
    ]),
  );
  chips(inside, 'Companies', metadata.companies, (company) =>
    [company.value, [company.identifier, company.salience].filter(Boolean).join(', ')]);
  chips(inside, 'Tags', metadata.customTags, (customTag) => [customTag.name, customTag.visibility ?? '']);
  if (doc.attachments.length > 0) inside.append(section('Attachments', attachmentsOf(doc)));
  inside.append(link);
  return inside;
}

function attachmentsOf(doc) {
  const list = make('ul', 'files');
  doc.attachments.forEach((attachment, place) => {
    const link = make('a', '', attachment.name);
    link.href = '/documents/' + encodeURIComponent(doc.docId) + '/attachments/' + place;
    const item = make('li');
    item.append(link, make('span', '', size(attachment.size)), make('span', 'mono', attachment.sha256));
    list.append(item);
  });
  return list;
}

function pairs(rows) {
  const list = make('dl');
  for (const [name, value, className] of rows) {
    if (value) list.append(make('dt', '', name), make('dd', className, value));
  }
  return list;
}

function chips(inside, name, elements, read) {
  if (!elements?.length) return;
  const list = make('ul', 'chips');
  for (const element of elements) {
    const [text, note] = read(element);
    const item = make('li', '', text);
    if (note) item.append(make('span', 'note', ' ' + note.toLowerCase()));
    list.append(item);
  }
  inside.append(section(name, list));
}

function section(name, content) {
  const element = make('section');
  element.append(make('h3', '', name), content);
  return element;
}

function make(kind, className, text) {
  const element = document.createElement(kind);
  if (className) element.className = className;
  if (text) element.textContent = printable(text);
  return element;
}

function showAges() {
  for (const element of document.querySelectorAll('.age')) {
    const words = element.dataset.word + ' ' + age((Date.now() - Date.parse(element.dateTime)) / 1000);
    if (element.textContent !== words) element.textContent = words;
  }
}

function age(seconds) {
  if (seconds < 10) return 'just now';
  if (seconds < 60) return 'less than a minute ago';
  if (seconds < 3600) return plural(Math.floor(seconds / 60), 'minute') + ' ago';
  if (seconds < 86400) return plural(Math.floor(seconds / 3600), 'hour') + ' ago';
  return plural(Math.floor(seconds / 86400), 'day') + ' ago';
}

function plural(count, word) {
  return count + ' ' + word + (count === 1 ? '' : 's');
}

function moment(iso) {
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

function show(from) {
  offset = from;
  tag = '';
  first = true;
  void refresh();
}

byId('words').addEventListener('input', () => { words = byId('words').value; show(0); });
byId('search').addEventListener('submit', (event) => event.preventDefault());
byId('newer').addEventListener('click', () => show(Math.max(0, offset - pageSize)));
byId('older').addEventListener('click', () => show(offset + pageSize));
document.addEventListener('visibilitychange', () => document.hidden || refresh());
refresh();
`;
