/** Compares names as people order them: `n2` before `n10`. */
export const inNaturalOrder = new Intl.Collator('en', { numeric: true }).compare;
