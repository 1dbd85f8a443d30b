/** The two ways in which a permit ends. `end` is called once, by whichever of them is called first. */
export function endPermitOnce(end: (isSpent: boolean) => void): {
  readonly spent: () => void;
  readonly giveBack: () => void;
} {
  let settled = false;
  const settle = (isSpent: boolean) => () => {
    if (settled) return;
    settled = true;
    end(isSpent);
  };
  return { spent: settle(true), giveBack: settle(false) };
}
