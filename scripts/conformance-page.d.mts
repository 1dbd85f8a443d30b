export function conformancePage(
  rows: readonly {
    readonly section: string;
    readonly statement: string;
    readonly service?: string | undefined;
    readonly client?: string | undefined;
  }[],
): string;
