import type { Credential, Exchange } from '../agent/credential.js';
import type { Exit } from '../core/exit.js';
import type { Isolation } from '../isolation/probe.js';
import type { HookTally, ToolCall, Unrecognised, Verdict } from '../report/model.js';
import type { Inputs } from '../run/inputs.js';
import type { StartName } from './canaries.js';

/**
 * What one start of the agent left behind. Nothing here is the word of the agent, except for the calls in its stream:
 * they show what it tried, and which refusals the CLI announced.
 */
export interface Start {
  exit: Exit;
  verdict: Verdict;
  hasResult: boolean;
  calls: readonly Pick<ToolCall, 'kind' | 'target' | 'state' | 'byHook' | 'message'>[];
  unrecognised: Pick<Unrecognised, 'count' | 'labels' | 'tools'>;
  /** What our hook reported; missing if it could not be set up. */
  hook?: HookTally;
  isolation: Isolation;
  /** The commands that really ran, and those of them that reached a folder outside of the isolation. */
  ran: readonly string[];
  escaped: readonly string[];
  /** The files that the agent changed in its layer. */
  changed: readonly string[];
  /** The same files, as far as they were in the checkout before and after the action applied what is allowed. */
  early: readonly string[];
  applied: readonly string[];
}

export interface Evidence {
  cli: { version?: string | undefined } | { problem: string };
  /** Missing if the key was not exchanged, because `credential` is `key`. */
  exchange?: Exchange;
  /** What the agent signed in with. */
  credential?: Credential['kind'];
  /** The input. */
  isolation: Inputs['isolation'];
  /** Why the agent was not started, or not as often as planned. */
  stopped?: { reason: string; detail: string };
  starts: Readonly<Partial<Record<StartName, Start>>>;
}
