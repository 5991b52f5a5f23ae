import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of one program at a time: its home, its temporary files, and what belongs to it alone. */
export interface Seat {
  number: number;
  home: string;
  temp: string;
  hookFolder: string;
  /** The socket of its proxy. */
  network: string;
  /** What the isolation needs while it is set up. */
  control: string;
  tools: string;
}

export function seatAt(root: string, number: number): Seat {
  const at = (...names: string[]) => join(root, ...names);
  return {
    number,
    // Both are replaced for each start, so they have a folder of their own.
    home: at('own', 'home'),
    temp: at('own', 'tmp'),
    hookFolder: at('hook'),
    network: at('network'),
    control: at('control'),
    tools: at('tools'),
  };
}

/** Gives the seat an empty home and an empty temporary folder. Returns the earlier home, if there was one. */
export function renewSeat({ home, temp }: Seat): string | undefined {
  const own = join(home, '..');
  const earlier = `${own}-${randomUUID()}`;
  const isUsed = existsSync(own);
  if (isUsed) renameSync(own, earlier);
  for (const folder of [home, temp]) mkdirSync(folder, { recursive: true });
  return isUsed ? join(earlier, 'home') : undefined;
}
