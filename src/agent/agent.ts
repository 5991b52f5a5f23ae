import type { McpConfig } from './mcp.js';
import type { Policy } from '../permissions/policy.js';

export interface AgentCommand {
  model: string;
  policy: Policy;
  resume?: string | undefined;
  extraArgs: readonly string[];
}

export type AgentName = 'cursor' | 'clido';

/** Everything the action knows about one agent's CLI. */
export interface Agent {
  name: AgentName;
  /** How people know it. */
  title: string;
  /** Folders of its home that hold its chats, so that one can be continued after its home was renewed. */
  chatFolders: readonly string[];
  /** Files of its private home, by their path in it. */
  homeFiles(policy: Policy, workspace: string, mcp: McpConfig | undefined): Record<string, string>;
  /** Files it reads from the workspace, by their path in it. */
  projectFiles(policy: Policy, workspace: string): Record<string, string>;
  /** Its command line; the prompt is not in it, it goes to stdin. */
  args(command: AgentCommand): string[];
  /** Variables of its own. */
  environment(apiKey: string): Record<string, string>;
}
