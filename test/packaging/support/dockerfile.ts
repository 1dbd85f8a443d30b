import { Copy, DockerfileParser, Env, JSONInstruction } from 'dockerfile-ast';
import type { Instruction } from 'dockerfile-ast';

/** One instruction, variables filled in, as far as the tests need it. */
export type Step =
  | { readonly kind: 'run'; readonly command: string }
  | {
      readonly kind: 'copy';
      readonly from: string | null;
      readonly mode: string | null;
      readonly sources: readonly string[];
      readonly target: string;
    }
  | { readonly kind: 'env'; readonly name: string; readonly value: string }
  | { readonly kind: 'workdir'; readonly path: string }
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'volume'; readonly paths: readonly string[] }
  | { readonly kind: 'entrypoint'; readonly words: readonly string[] }
  | { readonly kind: 'cmd'; readonly words: readonly string[] }
  | { readonly kind: 'healthcheck'; readonly words: readonly string[] };

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly steps: readonly Step[];
}

/** Takes a Dockerfile apart into its stages. Throws for what these tests cannot carry out. */
export function readStages(text: string): readonly Stage[] {
  const variables = new Map<string, string>();
  const stages: { image: string; name: string | null; steps: Step[] }[] = [];
  const fill = (raw: string) =>
    raw.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => variables.get(name) ?? '');
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const content = fill(instruction.getArgumentsContent() ?? '');
    if (instruction.getKeyword() === 'ARG') {
      const [name = '', value = ''] = content.split('=');
      variables.set(name, value);
    } else if (instruction.getKeyword() === 'FROM') {
      const [image = '', , name] = content.split(/\s+/);
      stages.push({ image, name: name ?? null, steps: [] });
    } else {
      stages.at(-1)?.steps.push(...readStep(instruction, content));
    }
  }
  return stages;
}

function readStep(instruction: Instruction, content: string): readonly Step[] {
  const keyword = instruction.getKeyword();
  switch (keyword) {
    case 'RUN':
      return [{ kind: 'run', command: content }];
    case 'COPY':
      return [readCopy(instruction, content)];
    case 'ENV':
      return instruction instanceof Env
        ? instruction
            .getProperties()
            .map((one) => ({ kind: 'env', name: one.getName(), value: one.getValue() ?? '' }))
        : [];
    case 'WORKDIR':
      return [{ kind: 'workdir', path: content }];
    case 'USER':
      return [{ kind: 'user', user: content }];
    case 'VOLUME':
      return [{ kind: 'volume', paths: words(instruction) }];
    case 'ENTRYPOINT':
      return [{ kind: 'entrypoint', words: words(instruction) }];
    case 'CMD':
      return [{ kind: 'cmd', words: words(instruction) }];
    case 'HEALTHCHECK':
      return [{ kind: 'healthcheck', words: JSON.parse(content.replace(/^CMD\s+/, '')) as string[] }];
    case 'LABEL':
    case 'EXPOSE':
      return [];
    default:
      throw new Error(`the tests do not know ${keyword}`);
  }
}

function readCopy(instruction: Instruction, content: string): Step {
  const flags = instruction instanceof Copy ? instruction.getFlags() : [];
  const flag = (name: string) => flags.find((one) => one.getName() === name)?.getValue() ?? null;
  const paths = content.split(/\s+/);
  const target = paths.at(-1) ?? '';
  return { kind: 'copy', from: flag('from'), mode: flag('chmod'), sources: paths.slice(0, -1), target };
}

/** The words of an instruction in its JSON form, which needs no shell. */
function words(instruction: Instruction): readonly string[] {
  if (!(instruction instanceof JSONInstruction)) return [];
  return instruction.getJSONStrings().map((one) => one.getJSONValue());
}
