import type { Agent } from './agent/agent.js';
import { clido } from './agent/clido.js';
import { cursor } from './agent/cursor.js';
import type { Inputs } from './inputs.js';

/** Every agent the action can run. Their streams need no entry here: each dialect is tried on each record. */
export const AGENTS: Readonly<Record<Inputs['agent'], Agent>> = { cursor, clido };
