import type { AgentName } from '../core/input-shapes.js';
import type { Policy } from '../permissions/policy.js';
import { clido } from './clido.js';
import type { Credential } from './credential.js';
import { cursor } from './cursor.js';
import type { McpConfig } from './mcp.js';

interface AgentCommand {
  model: string;
  policy: Policy;
  resume?: string | undefined;
  extraArgs: readonly string[];
}

/** The program that an agent asks before each tool call. */
interface HookCommand {
  /** A command line for a shell. */
  command: string;
  /** Whether a call is denied if the program fails. */
  failClosed: boolean;
}

/** What says which hosts an agent needs. */
interface VendorRequest {
  /** The environment of the action. */
  env: Readonly<Record<string, string | undefined>>;
  extraArgs: readonly string[];
  passEnv: readonly string[];
}

/** Lines as in `allowed-hosts`, and addresses that a setting of the user names. */
interface VendorHosts {
  lines: string[];
  addresses: string[];
}

interface HomeOptions {
  mcp?: McpConfig | undefined;
  /** Whether a proxy is its only way to the vendor. */
  isNetworkClosed?: boolean;
}

/** Everything the action knows about the CLI of one agent. */
export interface Agent {
  name: AgentName;
  /** Its name in texts. */
  title: string;
  /** The folders of its home with its chats. They are kept if its home is renewed, so that a chat can be continued. */
  chatFolders: readonly string[];
  /** Files of its private home, by their path in it. */
  homeFiles(policy: Policy, workspace: string, options: HomeOptions): Record<string, string>;
  /** Files of its private home with which it asks a program before each tool call. Missing if it knows no hooks. */
  hookFiles?(hook: HookCommand): Record<string, string>;
  /** Files it reads from the workspace, by their path in it. */
  projectFiles(policy: Policy, workspace: string): Record<string, string>;
  /** Files it reads from the workspace and from the top of each repository around it, by their name. */
  repositoryFiles: Readonly<Record<string, string>>;
  /** Its command line, without the prompt, which goes to stdin. */
  args(command: AgentCommand): string[];
  /** The hosts that it cannot work without. */
  vendor(request: VendorRequest): VendorHosts;
  /** Its own environment variables. An agent that does not sign in to Cursor has no credential of it. */
  environment(credential: Credential | undefined): Record<string, string>;
}

/** Every agent the action can run. Their streams need no entry here, because every dialect is tried on each record. */
export const AGENTS: Readonly<Record<AgentName, Agent>> = { cursor, clido };
