import { createContext } from 'preact';
import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { numberWords, countWords } from '../../lib/text/amounts.ts';
import { printable } from '../../lib/text/printable.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { momentWords } from './data/time-words.ts';

type Act = () => Promise<void> | void;

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'onClick' | 'type'> {
  readonly act: Act;
}

/** A button that does one thing; while it is doing it, it cannot be pressed again. */
export function Button({ act, ...attributes }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    await act();
    setBusy(false);
  };
  // Not `disabled`: that would throw the focus away.
  return <button {...attributes} type="button" aria-disabled={isBusy} onClick={() => void press()} />;
}

interface Answer {
  /** Of the button that does it. */
  readonly confirm: string;
  readonly question: ComponentChildren;
  readonly act: Act;
}

interface AskProps extends Answer {
  /** On the button that opens the question. */
  readonly opener: string;
  /** What screen readers call that button, where its words alone say too little. */
  readonly name?: string;
  /** Names the question for screen readers. */
  readonly label: string;
  readonly look: 'danger' | 'strong';
  /** Another answer. */
  readonly children?: ComponentChildren;
}

/**
 * A question before something that cannot be undone: what deletes, shares or sends again takes two steps, and the safe
 * one has the focus. An open question stays as it was asked, also where there is another one by now.
 */
export function Ask({ opener, name, label, look, children, ...next }: AskProps) {
  const [asked, setAsked] = useState<Answer | null>(null);
  const open = useRef<HTMLButtonElement>(null);
  const safe = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (asked !== null) safe.current?.querySelector('button')?.focus();
    else if (wasOpen.current) open.current?.focus();
    wasOpen.current = asked !== null;
  }, [asked]);
  const end = () => setAsked(null);
  const confirm = async () => {
    await asked?.act();
    end();
  };
  return (
    <>
      <button
        ref={open}
        type="button"
        class="small"
        aria-label={name}
        hidden={asked !== null}
        onClick={() => setAsked(next)}
      >
        {opener}
      </button>
      {asked !== null && (
        <div
          ref={safe}
          class="confirm"
          role="group"
          aria-label={label}
          onKeyDown={({ key }) => key === 'Escape' && end()}
        >
          <div>{asked.question}</div>
          <div class="actions">
            <Button act={end}>Cancel</Button>
            {children}
            <Button class={look} act={confirm}>
              {asked.confirm}
            </Button>
          </div>
        </div>
      )}
    </>
  );
}

interface FoldProps {
  readonly title: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** What is there to be opened. Nothing of it is made, or asked for, before that. */
export function Fold({ title, children, ...attributes }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details {...attributes} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}

/** A part of the page that is folded, with the words that say enough for most. */
export function FoldedPanel({
  title,
  words = '',
  children,
}: Omit<FoldProps, 'class'> & { readonly words?: string }) {
  const head = (
    <>
      <h2>{title}</h2> <span class="faint">{words}</span>
    </>
  );
  return (
    <Fold class="folded" title={head}>
      {children}
    </Fold>
  );
}

interface DialogProps {
  readonly title: string;
  readonly class?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is there. Escape closes it, and the focus goes back. */
export function Dialog({ title, children, ...attributes }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={title} {...attributes}>
      <div class="head">
        <h2>{title}</h2>
        <button type="button" class="small" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** Opens the story of a file. */
export const StoryOpener = createContext<(folder: string, path: string) => void>(() => {});

/**
 * A document's place, which opens its story: the folder faint, the path plain, isolated so that neither can change the
 * direction of the text around it.
 */
export function PathText({ folder, path }: { readonly folder: string; readonly path: string }) {
  const open = useContext(StoryOpener);
  const parts = printable(path).split(/(?<=\/)/);
  return (
    <button type="button" class="path" aria-haspopup="dialog" onClick={() => open(folder, path)}>
      <bdi>
        <span class="faint">{printable(folder)}/</span>
        {/* A long path may break after each of its parts. */}
        {parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}
      </bdi>
    </button>
  );
}

interface SubjectProps {
  readonly folder: string;
  readonly path: string;
  readonly documents: number;
}

/** What something is about: one document, or how many. */
export function Subject({ folder, path, documents }: SubjectProps) {
  const many = countWords(documents, 'document');
  if (path !== '') return documents > 1 ? <span>{many}</span> : <PathText folder={folder} path={path} />;
  // What concerns a folder is the story of no file.
  return (
    <span>
      <bdi>{printable(folder || 'ingestd')}</bdi>
      {documents > 1 && ` (${many})`}
    </span>
  );
}

/** Words that came from a file, a service or a rule, as a sentence. */
export function said(words: string): string {
  return sentence(printable(words));
}

/** A moment, for the eye and for programs. */
export function Time({
  at,
  words = momentWords,
}: {
  readonly at: string;
  readonly words?: typeof momentWords;
}) {
  return (
    <time dateTime={at} title={at}>
      {words(at)}
    </time>
  );
}

/** Says how many of a list are shown, where it is not all of them. */
export function Cut({ listed, total }: { readonly listed: number; readonly total: number }) {
  if (total <= listed) return null;
  return (
    <p class="faint">
      The first {numberWords(listed)} of {numberWords(total)} are listed.
    </p>
  );
}

/** How many there are of what stands before it. */
export function Badge({ count }: { readonly count: number }) {
  return <span class="badge">{numberWords(count)}</span>;
}
