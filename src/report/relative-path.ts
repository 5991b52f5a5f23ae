const MOST_ROOTS = 10;

/** The folders that paths are shown relative to: ours, then those the agent names. */
export function collectRoots(given: readonly string[]): { list: string[]; add(root: string): void } {
  const list: string[] = [];
  const add = (root: string) => {
    const plain = root.replace(/[\\/]+$/, '');
    // On macOS /tmp and its like are links into /private, and tools name them either way.
    const names = plain.startsWith('/private/') ? [plain, plain.slice('/private'.length)] : [plain];
    for (const name of names) {
      if (name !== '' && list.length < MOST_ROOTS && !list.includes(name)) list.push(name);
    }
  };
  given.forEach(add);
  return { list, add };
}

/** A path below one of the roots is shown relative to it; anything else as it is. */
export function relativeTo(roots: readonly string[], path: string): string {
  for (const root of roots) {
    if (!path.startsWith(root)) continue;
    const rest = path.slice(root.length);
    if (/^[\\/]*$/.test(rest)) return '.';
    if (!/^[\\/]/.test(rest)) continue;
    const below = rest.replace(/^[\\/]+/, '');
    return root.includes('\\') ? below.replaceAll('\\', '/') : below;
  }
  return path;
}
