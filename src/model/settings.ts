import type { Metadata } from './metadata/metadata.ts';
import type { RedisAddress } from '../lib/server/redis-address.ts';

/** From the least important lines to none. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Settings of one folder, contract section 3, paths absolute. */
export interface FolderSettings {
  readonly name: string;
  readonly path: string;
  readonly metadata: Metadata;
  readonly sidecar: 'optional' | 'required';
  readonly title: 'fileStem' | 'none';
  readonly createdTimestamp: 'modified' | 'none';
  readonly names: 'reject' | 'rewrite';
  readonly onRemove: 'delete' | 'keep';
  readonly include: readonly string[];
  readonly ignore: readonly string[];
  /** Where a sidecar's `attachments` may lie: the document's directory and below, or anywhere in the folder. */
  readonly attachments: 'below' | 'folder';
  /** `same`: a sidecar, `.meta.json` or `.ingestignore` counts only if it belongs to the document's owner or root. */
  readonly sidecarOwner: 'any' | 'same';
  readonly followSymlinks: boolean;
  readonly watch: 'auto' | 'native' | 'polling';
}

/** The five secrets; never part of the configuration file. */
export interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
}

export interface ServiceSettings {
  readonly mode: 'remote' | 'embedded';
  /** Without a slash at the end; empty in embedded mode until the service runs. */
  readonly authUrl: string;
  readonly ingestUrl: string;
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  readonly sendApiKey: boolean;
  readonly revokeOnStop: boolean;
  readonly onMissing: 'fail' | 'upload';
  readonly connectSeconds: number;
  readonly idleSeconds: number;
  readonly responseSeconds: number;
  readonly maxFileMegabytes: number;
  /** Of 1,000 bytes, for all uploads together; undefined: unlimited. */
  readonly maxKilobytesPerSecond?: number | undefined;
  /** `always`: a delete without an owner in the metadata names the user who is signed in. */
  readonly documentOwner: 'configured' | 'always';
}

export interface TimingSettings {
  readonly settleMs: number;
  readonly removeGraceMs: number;
  readonly rescanMinutes: number;
  readonly pollSeconds: number;
  readonly stopSeconds: number;
}

export interface SafetySettings {
  readonly maxDeletePercent: number;
  readonly maxDeleteCount: number;
  readonly inDoubt: 'retry' | 'hold';
}

/** Many hosts with one account, contract section 3. */
export interface ClusterSettings {
  readonly redis: RedisAddress;
  /** Undefined: derived from service and user. */
  readonly account?: string | undefined;
  /** Undefined: host name and the state directory's id. */
  readonly host?: string | undefined;
  /** Requests a minute while Redis is away. */
  readonly aloneShare: number;
}

/** The configuration, read and validated: contract section 3. */
export interface Settings {
  /** The file it came from, absolute. */
  readonly file: string;
  readonly service: ServiceSettings;
  readonly folders: readonly FolderSettings[];
  readonly state: { readonly dir: string };
  readonly timing: TimingSettings;
  readonly safety: SafetySettings;
  readonly http: { readonly host: string; readonly port: number | false };
  readonly notify: {
    /** Program and arguments; empty: none. */
    readonly command: readonly string[];
    readonly afterMinutes: number;
  };
  /** Null: this host is alone. */
  readonly cluster: ClusterSettings | null;
  readonly log: {
    readonly level: LogLevel;
    readonly format: 'auto' | 'json' | 'pretty';
  };
}
