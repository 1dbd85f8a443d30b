/**
 * Faults for a copy of the code, one for each rule of the judge: in `file`, `from` becomes `to`, and the simulation has to
 * find `kind`. Where the code has changed so much that `from` is gone, another place is to be found for the fault.
 */
export const plantedFaults = {
  'everything-public': {
    kind: 'wider',
    file: 'src/remote/operation-calls.ts',
    from: "content: { kind: 'form', metadata, file, attachments },",
    to: "content: { kind: 'form', metadata: { ...metadata, shareInfo: { mode: 'EVERYONE' } }, file, attachments },",
  },
  'mode-held-for-ever': {
    kind: 'wider-at-end',
    file: 'src/model/plan.ts',
    from: 'withheld === null ? delta : withoutMode(delta, record)',
    to: 'withoutMode(delta, record)',
  },
  'widens-when-a-statement-goes': {
    kind: 'widened-by-absence',
    file: 'src/model/plan.ts',
    from: 'const withheld = withholding(delta.change, document, record);',
    to: 'const withheld = null;',
  },
  'does-not-settle': {
    kind: 'unsettled',
    file: 'src/scan/rules/settle.ts',
    from: 'if (watched <= 0) return 0;',
    to: 'return 0;',
  },
  'spoils-bytes': {
    kind: 'torn',
    file: 'src/scan/content.ts',
    from: '      yield chunk;',
    to: '      chunk[0] = 0;\n      yield chunk;',
  },
  'waits-for-nobody': {
    kind: 'wider-than-meant',
    file: 'src/scan/companions/arrival.ts',
    from: '  const { tree, observations, settleMs } = folder;',
    to: '  if (path !== "") return null;\n  const { tree, observations, settleMs } = folder;',
  },
  'attaches-nothing': {
    kind: 'attachment-alone',
    file: 'src/scan/rules/claims.ts',
    from: 'return owners.size > 0 && owners.has(path) && !owning.has(path);',
    to: 'return owners.size < 0 && owners.has(path);',
  },
  'ignores-nothing': {
    kind: 'unfit-sent/ignored',
    file: 'src/scan/rules/ignore-patterns.ts',
    from: 'export function createIgnoreRules(patterns: readonly IgnorePattern[]): IgnoreRules {',
    to: 'export function createIgnoreRules(all: readonly IgnorePattern[]): IgnoreRules {\n  const patterns = all.slice(0, 0);',
  },
  'forgives-sidecars': {
    kind: 'unready-sent/invalid-companion',
    file: 'src/scan/companions/read-sidecar.ts',
    from: "if (json.kind === 'invalid') return { kind: 'invalid', message: `it is not valid JSON: ${json.message}` };",
    to: "if (json.kind === 'invalid') return { kind: 'gone' };",
  },
  'deletes-what-is-ignored': {
    kind: 'deleted-standing',
    file: 'src/sync/decide/assess.ts',
    from: "return { kind: 'dormant', device: null, reason: bareReason(found) };",
    to: "return { kind: 'gone', device: 0 };",
  },
  'deletes-nothing': {
    kind: 'left-over',
    file: 'src/sync/decide/assess.ts',
    from: "if (stands === null) return { kind: 'gone', device };",
    to: "if (stands === null) return { kind: 'nothing', device };",
  },
  'believes-no-answer': {
    kind: 'doubled',
    file: 'src/remote/judge-answer.ts',
    from: "if (operation === 'upload' && !isUsableDocId(docId)) {",
    to: "if (operation === 'upload') {",
  },
  'three-minutes-in-one': {
    kind: 'too-many',
    file: 'src/remote/limiter.ts',
    from: 'reservoir: limit - counting.length,',
    to: 'reservoir: 3 * limit - counting.length,',
  },
  'knows-no-tables': {
    kind: 'missing',
    file: 'src/model/names-and-types.ts',
    from: "  csv: 'text/csv',\n",
    to: '',
  },
  'sends-no-edit': {
    kind: 'old-at-end',
    file: 'src/model/plan.ts',
    from: 'unsure?.gone === true || differs(compared.sha256, record.sha256);',
    to: 'unsure?.gone === true;',
  },
  'sends-no-new-attachment': {
    kind: 'attachments-at-end',
    file: 'src/model/plan.ts',
    from: "if (found.length !== recorded.length) return 'changed';",
    to: "if (found.length !== recorded.length) return 'same';",
  },
  'sends-all-at-a-start': {
    kind: 'start-sends',
    file: 'src/sync/decide/assess.ts',
    from: 'if (!sameStat(record.stat, document.stat)) {',
    to: "if (process.pid % 2 === 0) sha256 = 'another';\n    else if (!sameStat(record.stat, document.stat)) {",
  },
  'is-never-idle': {
    kind: 'never-quiet',
    file: 'src/daemon/make-status.ts',
    from: "if (engine.isIdle()) return 'idle';",
    to: "if (engine.isIdle()) return 'working';",
  },
  'falls-over': {
    kind: 'crash',
    file: 'src/remote/limiter.ts',
    from: '    slots.delete(slot);\n',
    to: "    if (slots.delete(slot)) throw new Error('planted');\n",
  },
};
