const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How long `90m`, `36h` or `7d` is, ms; null for anything else. */
export function lengthMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * unitMs[unit as keyof typeof unitMs];
}
