import type { Agent } from '../agent/agent.js';
import {
  namedRule,
  openNetworkReason,
  parseHostLine,
  type HostRule,
  type Machine,
  type RefusedHost,
} from '../sandbox/index.js';
import type { NetworkRecord } from '../report/model.js';
import { plural } from '../text/format.js';
import type { Inputs } from './inputs.js';
import type { ResolvedInputs } from './resolve-inputs.js';

interface NetworkRulesRequest {
  agent: Agent;
  inputs: Inputs;
  resolved: ResolvedInputs;
  env: NodeJS.ProcessEnv;
}

interface NetworkRules {
  agent: HostRule[];
  /** Those of them that the agent cannot work without. */
  vendor: HostRule[];
  /** For the commands that verify its work. */
  commands: HostRule[];
  notes: string[];
}

const GITHUB = [
  'github.com',
  'api.github.com',
  'codeload.github.com',
  'uploads.github.com',
  '*.githubusercontent.com',
];

/** The vendor's hosts, the lines of `allowed-hosts`, and the services that other settings name. */
export function networkRules({ agent, inputs, resolved, env }: NetworkRulesRequest): NetworkRules {
  const { lines, addresses } = agent.vendor({ env, extraArgs: inputs.extraArgs, passEnv: inputs.passEnv });
  const vendor = [...lines.flatMap(rulesOf), ...addresses.flatMap((address) => namedRule(address) ?? [])];
  const github = [
    ...GITHUB.flatMap(rulesOf),
    ...[env['GITHUB_SERVER_URL'], env['GITHUB_API_URL']].flatMap((url) => namedRule(url ?? '') ?? []),
  ];
  const asked = inputs.allowedHosts.flatMap((line) => {
    if ('rule' in line) return [line.rule];
    return line.group === 'github' ? github : [];
  });
  const mcp = mcpRules(resolved);
  return { agent: [...vendor, ...asked, ...mcp.rules], vendor, commands: asked, notes: mcp.notes };
}

const rulesOf = (line: string): HostRule[] => {
  const read = parseHostLine(line);
  return 'rule' in read ? [read.rule] : [];
};

/**
 * An MCP server that the workflow names is meant to be reached. A file in the checkout is different: the author of
 * a pull request could name a host there.
 */
function mcpRules({ mcp }: NetworkRulesRequest['resolved']): { rules: HostRule[]; notes: string[] } {
  const servers = Object.values(mcp?.config.mcpServers ?? {});
  const rules = servers.flatMap((server) => ('url' in server ? (namedRule(server.url) ?? []) : []));
  if (mcp?.file === undefined || rules.length === 0) return { rules, notes: [] };
  const names = rules.map((rule) => ruleText(rule)).join(', ');
  const note = `mcp-config is a file of the checkout, so its hosts are not allowed automatically. To allow them, add to allowed-hosts: ${names}`;
  return { rules: [], notes: [note] };
}

/** One sentence for the log and the summary. */
export function describeNetwork(machine: Machine, inputs: Inputs): string {
  if (inputs.isolation === 'off') return `${OPEN} It can be closed only for an isolated agent.`;
  const why = openNetworkReason(machine);
  return why === undefined ? describeClosed(inputs) : `${OPEN} ${why}`.trim();
}

const OPEN = 'The network is open: the agent can reach every host that this runner can.';

const MAX_NAMES = 10;

function describeClosed({ allowedHosts }: Inputs): string {
  const named = allowedHosts.map((line) => ('group' in line ? line.group : ruleText(line.rule)));
  const others = [...new Set(named)].filter((name) => name !== 'vendor');
  const more = others.length > MAX_NAMES ? ` and ${others.length - MAX_NAMES} more` : '';
  return others.length === 0
    ? 'The network is closed: the agent can reach its vendor and no other host.'
    : `The network is closed: the agent can reach its vendor, ${others.slice(0, MAX_NAMES).join(', ')}${more}, and no other host.`;
}

function ruleText(rule: HostRule): string {
  const port = rule.port === undefined ? '' : `:${rule.port}`;
  switch (rule.kind) {
    case 'everything':
      return `*${port}`;
    case 'host':
      return `${rule.host}${port}`;
    case 'below':
      return `*.${rule.domain}${port}`;
    case 'addresses':
      return `${rule.address}/${rule.bits}${port}`;
    case 'local':
      return `localhost${port}`;
  }
}

/** For the log while the agent runs. */
export const refusalLine = ({ host, why, allow }: RefusedHost): string =>
  `network: ${host} was refused, because it ${why}${allow === '' ? '' : `; to allow it, add to allowed-hosts: ${allow}`}`;

/** For the log at the end of the agent. */
export function describeLedger({ refused, allowed, moreRefused }: NetworkRecord): string {
  const times = refused.reduce((sum, { count }) => sum + count, moreRefused);
  const reached = `${plural(allowed.length, 'host')} reached through the proxy`;
  return refused.length === 0
    ? `network: ${reached}, none refused`
    : `network: ${reached}, ${plural(refused.length, 'host')} refused (${plural(times, 'time')})`;
}
