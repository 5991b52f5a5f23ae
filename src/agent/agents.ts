import type { Agent, AgentName } from './agent.js';
import { clido } from './clido.js';
import { cursor } from './cursor.js';

/** Every agent the action can run. Their streams need no entry here, because every dialect is tried on each record. */
export const AGENTS: Readonly<Record<AgentName, Agent>> = { cursor, clido };
