import type { Agent } from './agent/agent.js';
import { cursor as cursorAgent } from './agent/cursor.js';
import type { Inputs } from './inputs.js';
import { cursor as cursorDialect } from './stream/dialects/cursor.js';
import type { Dialect } from './stream/events.js';

/** Each agent with the dialects its stream may be written in. */
export const AGENTS: Readonly<Record<Inputs['agent'], { agent: Agent; dialects: readonly Dialect[] }>> = {
  cursor: { agent: cursorAgent, dialects: [cursorDialect] },
  clido: { agent: cursorAgent, dialects: [cursorDialect] },
};
