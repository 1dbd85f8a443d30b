import { createContext, Fragment } from 'preact';
import type { ComponentChildren, RenderableProps } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';

import { numberWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type { StatusAnswer } from '../server/status-snapshot.ts';
import { localTimes } from './data/time-words.ts';

/** What most parts of the page show something of. */
export interface Shown {
  readonly status: StatusAnswer;
}

interface ButtonProps {
  readonly act: () => Promise<void> | void;
  /** What screen readers call it, where its words alone say too little. */
  readonly name?: string | undefined;
  readonly children: ComponentChildren;
}

/** A button that does one thing; while it is doing it, it cannot be pressed again. */
export function Button({ act, name, children }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    await act();
    setBusy(false);
  };
  // Not `disabled`: that would throw the focus away.
  return (
    <button type="button" aria-label={name} aria-disabled={isBusy} onClick={() => void press()}>
      {children}
    </button>
  );
}

interface Question extends ButtonProps {
  /** On the button that does it, and on the one that asks about it. */
  readonly words: string;
  readonly look: 'danger' | 'strong';
  /** The other answer, beside that button. */
  readonly instead?: ComponentChildren;
}

/**
 * A question before something that cannot be undone: what deletes, shares or sends again takes two steps, and the safe
 * one has the focus. An open question stays as it was asked, also where there is another one by now.
 */
export function Ask(next: Question) {
  const [asked, setAsked] = useState<Question | null>(null);
  return (
    <>
      <Button name={next.name} act={() => setAsked({ ...next })}>
        {next.words}…
      </Button>
      {asked !== null && (
        <Dialog
          key={asked}
          title={`${asked.name ?? asked.words}?`}
          closer="Cancel"
          onClose={() => setAsked((shown) => (shown === asked ? null : shown))}
        >
          <p>{asked.children}</p>
          <form method="dialog">
            {asked.instead}
            <button class={asked.look} onClick={() => void asked.act()}>
              {asked.words}
            </button>
          </form>
        </Dialog>
      )}
    </>
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

/**
 * What is there to be opened. Nothing of it is made, or asked for, before that. `words`: beside the title of a part of the
 * page, what is enough for most.
 */
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

/** A dialog that is open as long as it is there. Escape closes it, and the focus goes back. `closer`: the button's words. */
export function Dialog(props: RenderableProps<{ title: string; closer?: string; onClose: () => void }>) {
  const { title, closer = 'Close', onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // It tells a moment after it was closed: what was opened since then stays.
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <form method="dialog" class="head">
        <h2>
          <PathWords path={title} />
        </h2>
        <button>{closer}</button>
      </form>
      {children}
    </dialog>
  );
}

/** Opens the story of a file. */
export const StoryOpener = createContext<(ref: DocumentRef) => void>(() => {});

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
  const open = useContext(StoryOpener);
  return (
    <button type="button" class="path" aria-haspopup="dialog" onClick={() => open({ folder, path })}>
      <span class="faint">
        <bdi>{printable(folder)}</bdi>/
      </span>
      <PathWords path={path} />
    </button>
  );
}

interface RowsProps<T> {
  readonly of: readonly T[];
  /** So many are listed at once; the others are there to be opened. */
  readonly most?: number;
  /** How many there are in all. */
  readonly total?: number;
  /** What stands beside or below each path. */
  readonly children?: (item: T) => ComponentChildren;
}

/** More would make the page slow. */
const mostRows = 200;

/** Documents, one below the other. */
export function Rows<T extends DocumentRef & { readonly pathBytes?: string | undefined }>({
  of: items,
  most = mostRows,
  total,
  children,
}: RowsProps<T>) {
  const listed = items.slice(0, mostRows);
  const [first, rest] = [listed.slice(0, most), listed.slice(most)];
  const list = (some: readonly T[]) => (
    <ul class={children === undefined ? 'names' : 'rows'}>
      {some.map((item) => (
        // Names that are not UTF-8 look alike: their bytes tell them apart.
        <li key={refKey(item) + (item.pathBytes ?? '')}>
          <PathText {...item} />
          {children?.(item)}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {list(first)}
      {rest.length > 0 && <Fold title={`Show ${numberWords(rest.length)} more`}>{list(rest)}</Fold>}
      <More count={(total ?? items.length) - listed.length} />
    </>
  );
}

/** Says how many of a list are not shown, where it is not all of them. */
export function More({ count }: { readonly count: number }) {
  return count <= 0 ? null : <p class="faint">and {numberWords(count)} more</p>;
}

interface FactsProps {
  /** Words, or what is shown as JSON; what is null or empty is left out. */
  readonly of: readonly (readonly [name: string, value: unknown])[];
  /** Where they come from, by their names. */
  readonly sources?: Readonly<Record<string, string>>;
}

/** Names and values. */
export function Facts({ of: facts, sources = {} }: FactsProps) {
  return (
    <dl>
      {facts
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{printable(typeof value === 'string' ? localTimes(value) : JSON.stringify(value))}</bdi>
              {sources[name] !== undefined && <span class="faint"> (from {printable(sources[name])})</span>}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** Words that came from a file, a service or a rule, as a sentence, with its times by the reader's clock. */
export function said(words: string): string {
  return sentence(printable(localTimes(words)));
}
