// The door of the sandbox. No other folder imports anything behind it; a lint rule and a test hold that.
export { openSandbox, type AgentStart, type EndedStart, type Sandbox } from './sandbox.js';
export type { Checkout, Places, SandboxPlan } from './plan.js';
export type { ChosenChanges, CleanTree } from './clean-tree.js';
export type { RunLimits } from './enclose.js';

// What this machine can do.
export { describeMachine, openNetworkReason, probeMachine, type Machine } from './namespace/probe.js';
export { describeCgroup } from './namespace/survey.js';
export { canHook, type HookCommandLine } from './hook.js';

// What is written in `allowed-hosts`, and what the job's own proxies contain.
export { namedRule, parseHostLine, type HostLine, type HostRule } from './network/allowed-hosts.js';
export { proxyProblems, proxySecrets } from './network/parent-proxy.js';
export type { RefusedHost } from './network/ledger.js';

// What is done with the changes of an agent.
export { canBeApplied, removeStaging } from './layer/apply-changes.js';
export type { FindKnown } from './layer/find-secrets.js';
export type { ChangedPath, Inspection } from './layer/inspect-layer.js';

export type { Watcher } from './process.js';
