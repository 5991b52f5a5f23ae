/** One thing in an unpacked tree; folders are implied by what is in them. */
export type TreeEntry =
  | { kind: 'file'; path: string; bytes: number; sha256: string; isExecutable: boolean }
  | { kind: 'link'; path: string; target: string };
