import { button, el, setText } from '../dom.ts';

/** A question before something that cannot be undone. */
export interface Confirmation {
  /** The button that opens the question. */
  readonly opener: HTMLButtonElement;
  /** The question itself, to be put where it has room. */
  readonly node: HTMLElement;
  readonly ask: (words: { readonly question: string; readonly confirm: string }) => void;
}

interface ConfirmationOptions {
  readonly opener: HTMLButtonElement;
  /** Names the question for screen readers. */
  readonly label: string;
  /** On the button that does nothing. */
  readonly keep: string;
  /** Of the button that does it. */
  readonly look: 'danger' | 'strong';
  readonly act: () => Promise<void>;
}

/** What deletes or sends again takes two steps, and the safe one has the focus. */
export function createConfirmation({ opener, label, keep, look, act }: ConfirmationOptions): Confirmation {
  const text = el('p', {});
  const open = (yes: boolean) => {
    node.hidden = !yes;
    opener.hidden = yes;
    (yes ? safe : opener).focus();
  };
  const safe = button(keep, {}, () => open(false));
  const confirm = button('', { class: look }, async () => {
    await act();
    open(false);
  });
  const node = el(
    'div',
    { class: 'confirm', role: 'group', 'aria-label': label, hidden: '' },
    text,
    el('div', { class: 'actions' }, safe, confirm),
  );
  opener.addEventListener('click', () => open(true));
  node.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') open(false);
  });
  return {
    opener,
    node,
    ask: (words) => {
      setText(text, words.question);
      setText(confirm, words.confirm);
    },
  };
}
