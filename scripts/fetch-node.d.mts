export interface NodePackage {
  readonly directory: string;
  readonly binary: string;
  readonly integrity: string;
}

export function fetchNode(version: string): NodePackage | null;
