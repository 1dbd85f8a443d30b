/** What has a heading of its own, or is opened by one. */
const parts = 'details, article, section, main';

/** Gives the focus to the heading of the part that what had it was in, when that goes: a row, or a button that was pressed. */
export function keepFocus(): void {
  /** What had the focus and what that is in, innermost first; then the same of what had it before its dialog. */
  let places: readonly Element[] = [];
  addEventListener('focusin', (event) => {
    const now = event.composedPath().filter((one) => one instanceof Element);
    const dialog = now.find((one) => one.matches('dialog'));
    const before = dialog === undefined ? [] : places.filter((one) => !dialog.contains(one));
    places = [...new Set([...now, ...before])];
  });
  addEventListener('focusout', ({ target }) =>
    queueMicrotask(() => {
      const isLeft = target instanceof Element && target.checkVisibility();
      if (isLeft && document.activeElement === document.body) places = [];
    }),
  );
  const look = () => {
    if (places[0]?.isConnected !== false || document.activeElement !== document.body) return;
    const part =
      places.find((one) => one.isConnected && one.matches(parts)) ?? document.querySelector('main');
    const heading = part?.querySelector<HTMLElement>('summary, h1, h2, h3');
    if (heading?.matches('summary') === false) heading.tabIndex = -1;
    heading?.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}
