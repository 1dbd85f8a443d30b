import type { Why } from '../../model/ports/control-port.ts';
import { fixBeside } from '../../model/report/fixes.ts';
import { printable } from '../../lib/printable.ts';
import { countWords } from '../../lib/words.ts';
import { el } from './dom.ts';
import { clockWords, momentWords } from './time-words.ts';

/** Verdicts whose code has a fix of its own. */
const troubled: ReadonlySet<string> = new Set(['unfit', 'skipped', 'waiting', 'unknown']);

/** What the daemon knows of one file, as text: what it is, what comes next, what the service holds, each attempt. */
export function storyText(why: Why): readonly Node[] {
  const { verdict, next, nextAt } = why;
  const parts: Node[] = [el('p', {}, sentence(verdict.message))];
  const fix = troubled.has(verdict.kind) ? fixBeside(verdict.code) : '';
  if (fix !== '') parts.push(el('p', { class: 'fix' }, fix));
  const when = nextAt === null ? '' : ` (${clockWords(nextAt)})`;
  for (const note of why.notes) parts.push(el('p', {}, sentence(note)));
  parts.push(el('p', {}, el('strong', {}, 'Next: '), printable(next), when), facts(why));
  if (why.attempts.length > 0) parts.push(el('h3', {}, 'Attempts'), attempts(why.attempts));
  return parts;
}

function facts(why: Why): HTMLElement {
  const list = el('dl');
  const row = (name: string, value: string | null | undefined, tag: 'span' | 'code' | 'pre' = 'span') => {
    if (value === null || value === undefined || value === '') return;
    list.append(el('dt', {}, name), el('dd', {}, el(tag, {}, el('bdi', {}, value))));
  };
  row('Document id', why.docId === null ? null : printable(why.docId), 'code');
  row('Uploaded', why.uploadedAt === null ? null : momentWords(why.uploadedAt));
  row('Modified', why.modifiedAt === null ? null : momentWords(why.modifiedAt));
  row('Deleted', why.deletedAt === null ? null : momentWords(why.deletedAt));
  row('Sidecar', why.sidecar === null ? null : printable(why.sidecar), 'code');
  row('Attachments', why.attachments.map(printable).join(', '), 'code');
  row(
    'Perhaps twice',
    why.possibleDuplicates > 0 ? countWords(why.possibleDuplicates, 'more copy', 'more copies') : null,
  );
  row('Metadata', why.metadata === null ? null : JSON.stringify(why.metadata, null, 2), 'pre');
  row('SHA-256', why.sha256, 'code');
  return list;
}

function attempts(all: Why['attempts']): HTMLElement {
  const rows = all.toReversed().map(({ at, operation, code, message }) => {
    const iso = new Date(at).toISOString();
    return el(
      'li',
      {},
      el('time', { class: 'faint', datetime: iso }, momentWords(iso)),
      ` ${printable(operation)}: ${printable(message)} `,
      el('code', { class: 'faint' }, printable(code)),
    );
  });
  return el('ol', {}, ...rows);
}

function sentence(text: string): string {
  const plain = printable(text);
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1).replace(/\.$/, '')}.`;
}
