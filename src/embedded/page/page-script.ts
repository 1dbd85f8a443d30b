import { escapeCharacter, unprintable } from '../../lib/text/printable.ts';
import { sizeWords } from '../../lib/text/amounts.ts';

/**
 * The page's script: asks for the list every second and a half while it is on the screen, and touches only what changed.
 * Whatever comes from a document is set as text, never as markup.
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

async function refresh() {
  clearTimeout(timer);
  const query = '?' + new URLSearchParams({ search: words, offset, limit: pageSize });
  try {
    const answer = await fetch('/documents' + query, { cache: 'no-store', headers: tag ? { 'If-None-Match': tag } : {} });
    if (answer.status === 200) {
      const list = await answer.json();
      if (offset > 0 && offset >= list.found) { show(Math.max(0, list.found - pageSize)); return; }
      tag = answer.headers.get('ETag') ?? '';
      render(list);
    } else if (answer.status !== 304) throw new Error('status ' + answer.status);
    live('on', 'live');
    showAges();
  } catch {
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
