/** One instruction, variables filled in. */
interface Step {
  readonly keyword: string;
  readonly content: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly steps: readonly Step[];
}

const known = 'RUN COPY ENV WORKDIR USER VOLUME ENTRYPOINT CMD HEALTHCHECK LABEL EXPOSE'.split(' ');

/** Takes a Dockerfile apart into its stages. Throws for an instruction that it does not know. */
export function readStages(text: string): readonly Stage[] {
  const variables = new Map<string, string>();
  const stages: { image: string; name: string | null; steps: Step[] }[] = [];
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines.filter((one) => one !== '')) {
    const [, keyword = '', raw = ''] = /^([A-Z]+)\s+(\S.*)$/.exec(line) ?? [];
    const content = raw.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => variables.get(name) ?? '');
    if (keyword === 'ARG') {
      const [name = '', value = ''] = content.split('=');
      variables.set(name, value);
    } else if (keyword === 'FROM') {
      const [image = '', , name] = content.split(/\s+/);
      stages.push({ image, name: name ?? null, steps: [] });
    } else if (known.includes(keyword)) {
      stages.at(-1)?.steps.push({ keyword, content });
    } else {
      throw new Error(`unknown instruction: ${line}`);
    }
  }
  return stages;
}

/** What stands behind a keyword in a stage. */
export function only(stage: Stage | undefined, keyword: string): readonly string[] {
  return (stage?.steps ?? []).filter((step) => step.keyword === keyword).map(({ content }) => content);
}
