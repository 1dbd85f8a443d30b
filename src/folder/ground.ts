import type { FolderSettings } from '../core/settings.ts';
import type { Claims } from './claims.ts';
import { createClaims } from './claims.ts';
import { settingsContext } from './context.ts';
import { createIgnoreRules } from './ignore-rules.ts';
import type { Observations } from './observations.ts';
import { createObservations } from './observations.ts';
import type { PlacedRules, Tree } from './tree.ts';
import { createTree } from './tree.ts';

/** What a folder's worker is told when it starts. Plain data. */
export interface GroundPlan {
  readonly settings: FolderSettings;
  readonly maxFileBytes: number;
  readonly settleMs: number;
  readonly removeGraceMs: number;
  /** The root, absolute. */
  readonly root: string;
  /** A directory inside the root that is not ours to look into, from the root; null: none. */
  readonly excluded: string | null;
}

/** What is known of a folder in its worker: shared by sweeps and looks. */
export interface Ground extends GroundPlan {
  readonly tree: Tree;
  readonly claims: Claims;
  readonly observations: Observations;
  /** The context of plain documents where no `.meta.json` has a word. */
  readonly context: string;
  /** Rules of the settings. */
  readonly rules: readonly PlacedRules[];
  /** The absolute path of a path from the root, as it stands on disk. */
  readonly absolute: (raw: string) => string;
}

export function createGround(plan: GroundPlan): Ground {
  const { settings, root, settleMs } = plan;
  const base = root === '/' ? '' : root;
  return {
    ...plan,
    tree: createTree(),
    claims: createClaims(),
    observations: createObservations(settleMs),
    context: settingsContext(settings, plan.maxFileBytes),
    rules: settings.ignore.length === 0 ? [] : [{ directory: '', rules: createIgnoreRules(settings.ignore) }],
    absolute: (raw) => (raw === '' ? root : `${base}/${raw}`),
  };
}
