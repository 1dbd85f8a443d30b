import { Fragment } from 'preact';
import type { ComponentChildren, RenderableProps } from 'preact';
import { useState } from 'preact/hooks';

import { minuteWords, numberWords, withLocalTimes } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { open } from './data/page.ts';
import type { Question } from './data/page.ts';

/** What most parts of the page show something of. */
export interface Shown {
  readonly status: StatusAnswer;
}

/** `20:44` today, else with its date. */
export function momentWords(time: string | number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  const day = isToday ? '' : `${date.toLocaleDateString([], { dateStyle: 'medium' })}, `;
  return day + minuteWords(time);
}

/** Words of a file, a service or a rule, with their times by the reader's clock. */
export function told(words: string): string {
  return printable(withLocalTimes(words, momentWords));
}

/** The same, each as a sentence, as far as there are words. */
export function said(...parts: readonly (string | null | undefined)[]): string {
  return parts.flatMap((words) => (words ? [sentence(told(words))] : [])).join(' ');
}

/** Asks before something that cannot be undone: it takes two steps, and the safe one has the focus. */
export function Ask(question: Question) {
  return (
    <button aria-label={question.name} onClick={() => open(question)}>
      {question.words}…
    </button>
  );
}

interface PartProps {
  readonly title: string;
  readonly id?: string;
  readonly class?: string;
  readonly count?: number;
  readonly action?: ComponentChildren;
}

/** A part of the page, or a card: one of several things in such a part. `count`: how many there are of it. */
export function Part({ title, count, action, children, ...attributes }: RenderableProps<PartProps>) {
  const isCard = attributes.class === 'card';
  const [Section, Title] = isCard ? (['article', 'h3'] as const) : (['section', 'h2'] as const);
  if (count === 0) return null;
  return (
    <Section class="panel" aria-label={title} {...attributes}>
      <div class="head">
        <Title>
          {title} {count !== undefined && <span class="badge">{numberWords(count)}</span>}
        </Title>
        {action}
      </div>
      {children}
    </Section>
  );
}

/** What is there to be opened: nothing of it is made before that. `words`: beside the title of a part of the page. */
export function Fold({ title, words, children }: RenderableProps<{ title: string; words?: string }>) {
  const [isOpen, setOpen] = useState(false);
  const isPart = words !== undefined;
  return (
    <details class={isPart ? 'part' : ''} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {isPart ? <h2>{title}</h2> : title} <span class="faint">{words}</span>
      </summary>
      {isOpen && children}
    </details>
  );
}

/** A path, or words with one: it may break after each of its parts, and none changes the direction of the others. */
export function PathWords({ path }: { readonly path: string }) {
  return printable(path)
    .split('/')
    .map((name, index) => (
      <Fragment key={index}>
        {index > 0 && ['/', <wbr key="/" />]}
        <bdi>{name}</bdi>
      </Fragment>
    ));
}

/** A document's place, which opens its story: the folder faint, the path plain. */
export function PathText({ folder, path }: DocumentRef) {
  return (
    <button class="path" aria-haspopup="dialog" onClick={() => open({ folder, path })}>
      <span class="faint">
        <bdi>{printable(folder)}</bdi>/
      </span>
      <PathWords path={path} />
    </button>
  );
}

interface ListProps {
  readonly of: readonly ComponentChildren[];
  readonly class: string;
  /** So many are seen at first; the others are there to be opened. */
  readonly most?: number | undefined;
  /** How many there are in all. */
  readonly total?: number | undefined;
}

/** Says how many are not listed, where it is not all of them. */
export function List({ of: items, class: kind, most = 200, total = items.length }: ListProps) {
  const rest = items.slice(most);
  const unlisted = total - items.length;
  return (
    <>
      <ul class={kind}>{items.slice(0, most)}</ul>
      {rest.length > 0 && (
        <Fold title={`Show ${numberWords(rest.length)} more`}>
          <ul class={kind}>{rest}</ul>
        </Fold>
      )}
      {unlisted > 0 && <p class="faint">and {numberWords(unlisted)} more</p>}
    </>
  );
}

interface RowsProps<T> extends Pick<ListProps, 'most' | 'total'> {
  readonly of: readonly T[];
  /** What is said of each; once, where it is the same for all. */
  readonly words?: (item: T) => string;
  /** What to do. */
  readonly fix?: string;
  /** What stands beside or below each path. */
  readonly children?: (item: T) => ComponentChildren;
}

/** Documents, one below the other. */
export function Rows<T extends DocumentRef & { readonly pathBytes?: string | undefined }>(
  props: RowsProps<T>,
) {
  const { of: items, words, fix = '', children, most, total } = props;
  const [first, ...others] = new Set(words === undefined ? [] : items.map(words));
  const rows = items.map((item) => (
    // Names that are not UTF-8 look alike: their bytes tell them apart.
    <li key={refKey(item) + (item.pathBytes ?? '')}>
      <PathText {...item} />
      {others.length > 0 && <p>{words?.(item)}</p>}
      {children?.(item)}
    </li>
  ));
  const kind = words === undefined && children === undefined ? 'names' : 'rows';
  return (
    <>
      {others.length === 0 && <p>{first}</p>}
      <p class="faint">{fix}</p>
      <List of={rows} class={kind} most={most} total={total} />
    </>
  );
}

type Fact = readonly [name: string, value: unknown, source?: string | undefined];

/** Names and values, and where they come from; what is no text is shown as JSON, what is null or empty is left out. */
export function Facts({ of: facts }: { readonly of: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  return (
    <dl>
      {known.map(([name, value, source]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{told(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
            {source !== undefined && <span class="faint"> (from {printable(source)})</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
