import { reasonOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { openNetworkReason, type Isolation } from '../isolation/probe.js';
import { decideHost, namedRule, parseHostLine, type HostRule } from '../network/allowed-hosts.js';
import { readAuthority } from '../network/host.js';
import type { NetworkLedger, RefusedHost } from '../network/ledger.js';
import { readRoute } from '../network/parent-proxy.js';
import type { ClosedNetwork } from '../network/proxy.js';
import type { EarlyNetwork } from '../report/judge.js';
import type { NetworkRecord } from '../report/model.js';
import { plural } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import type { Inputs } from './inputs.js';
import type { Preparation } from './prepare-agent.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { RunOutput } from './run-output.js';

/** What the agent may reach. */
export interface AgentNetwork {
  /** Whether the agent can reach allowed hosts only. Known once the isolation is. */
  state(): 'closed' | 'open';
  /** For the isolation: the way out of the agent's own network. Undefined while it is open. */
  forwarder(): ClosedNetwork['forwarder'] | undefined;
  /** Files that the agent must be able to read. */
  shown: readonly string[];
  /** Called with the isolation that the agent will get. */
  settle(isolation: Isolation): void;
  /** One sentence for the log and the summary. */
  describe(): string;
  /** What it saw until now, to explain why an agent did not reach its vendor. Undefined while it is open. */
  seen(): EarlyNetwork | undefined;
  notes: readonly string[];
  /** What was reached and what was refused. Undefined if the network is open. */
  record(): NetworkRecord | undefined;
  close(): void;
}

interface NetworkSetting extends Pick<
  Preparation,
  'agent' | 'inputs' | 'resolved' | 'runFolder' | 'invocation'
> {
  /** Prints a line to the log while the agent runs. */
  tell(line: string): void;
}

/** Lines in the log about refused hosts. The report has more of them. */
const MOST_TOLD = 20;

/** Starts the proxy, unless the network stays open. Whether it can be closed is known with the isolation. */
export async function openNetwork(setting: NetworkSetting): Promise<AgentNetwork> {
  const { inputs, runFolder } = setting;
  const { env } = setting.invocation;
  const rules = networkRules(setting);
  let why = reasonToStayOpen(inputs);
  let closed: ClosedNetwork | undefined;
  let told = 0;
  const onRefused = (host: RefusedHost) => {
    told += 1;
    if (told <= MOST_TOLD) setting.tell(logLine(refusalLine(host)));
  };
  if (why === undefined) {
    try {
      const { openClosedNetwork } = await import('../network/proxy.js');
      closed = await openClosedNetwork({ folder: runFolder.network, rules: rules.all, env, onRefused });
    } catch (error) {
      why = `The proxy could not be started: ${reasonOf(error)}.`;
      if (inputs.network === 'required') throw new RunFailure('isolation-unavailable', why);
    }
  }
  const isOpen = () => why !== undefined;
  return {
    state: () => (isOpen() ? 'open' : 'closed'),
    forwarder: () => (isOpen() ? undefined : closed?.forwarder),
    shown: closed?.shown ?? [],
    settle(isolation) {
      why ??= openNetworkReason(isolation);
    },
    describe: () => (why === undefined ? describeClosed(inputs) : `${OPEN} ${why}`),
    seen() {
      if (!closed || isOpen()) return undefined;
      const { allowed, refused } = closed.ledger();
      const vendor = allowed.filter(({ host }) => isAllowedBy(host, rules.vendor));
      const asked = vendor.reduce((sum, { count }) => sum + count, 0);
      const failed = vendor.reduce((sum, host) => sum + host.failed, 0);
      return { vendor: { asked, made: asked - failed }, refused: [...refused] };
    },
    notes: [...rules.notes, ...(closed ? proxyNotes(env) : [])],
    record: () => (closed && !isOpen() ? { state: 'closed', ...closed.ledger() } : undefined),
    close: () => closed?.close(),
  };
}

const OPEN = 'The network is open: the agent can reach every host that this runner can.';

function describeClosed({ allowedHosts }: Inputs): string {
  const named = allowedHosts.map((line) => ('group' in line ? line.group : ruleText(line.rule)));
  const others = [...new Set(named)].filter((name) => name !== 'vendor');
  const MOST = 10;
  const more = others.length > MOST ? ` and ${others.length - MOST} more` : '';
  return others.length === 0
    ? 'The network is closed: the agent can reach its vendor and no other host.'
    : `The network is closed: the agent can reach its vendor, ${others.slice(0, MOST).join(', ')}${more}, and no other host.`;
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

const refusalLine = ({ host, why, allow }: RefusedHost): string =>
  `network: ${host} was refused, because it ${why}${allow === '' ? '' : `; to allow it, add to allowed-hosts: ${allow}`}`;

/** Undefined if the network can be closed as far as the inputs and the system say. */
function reasonToStayOpen({ network, isolation }: Inputs): string | undefined {
  if (network === 'off') return 'The input network is off.';
  if (isolation === 'off') return 'It can be closed only for an isolated agent.';
  return process.platform === 'linux'
    ? undefined
    : `A closed network needs Linux, and this runner has ${process.platform}.`;
}

interface NetworkRules {
  all: HostRule[];
  vendor: HostRule[];
  notes: string[];
}

const GITHUB = [
  ...['github.com', 'api.github.com', 'codeload.github.com', 'uploads.github.com'],
  '*.githubusercontent.com',
];

/** The vendor's hosts, the lines of `allowed-hosts`, and the services that other settings name. */
function networkRules({ agent, inputs, resolved, invocation: { env } }: NetworkSetting): NetworkRules {
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
  return { all: [...vendor, ...asked, ...mcp.rules], vendor, notes: mcp.notes };
}

const rulesOf = (line: string): HostRule[] => {
  const read = parseHostLine(line);
  return 'rule' in read ? [read.rule] : [];
};

/**
 * Whoever names an MCP server in the workflow wants it to be reached. A file in the checkout is different: the author of
 * a pull request could name a host there.
 */
function mcpRules({ mcp }: ResolvedInputs): { rules: HostRule[]; notes: string[] } {
  const servers = Object.values(mcp?.config.mcpServers ?? {});
  const rules = servers.flatMap((server) => ('url' in server ? (namedRule(server.url) ?? []) : []));
  if (mcp?.file === undefined || rules.length === 0) return { rules, notes: [] };
  const names = rules.map((rule) => ruleText(rule)).join(', ');
  const note = `mcp-config is a file of the checkout, so its hosts are not allowed automatically. To allow them, add to allowed-hosts: ${names}`;
  return { rules: [], notes: [note] };
}

function proxyNotes(env: NodeJS.ProcessEnv): string[] {
  const { problems } = readRoute(env);
  return problems.map(
    (name) =>
      `The proxy in ${name} cannot be used by the closed network: only http:// and https:// proxies can.`,
  );
}

const isAllowedBy = (host: string, rules: readonly HostRule[]): boolean => {
  const target = readAuthority(host);
  return target !== undefined && decideHost(target, rules).kind === 'allowed';
};

/** Nothing gets through any more. Returns what did, for the report. */
export function closeNetwork(
  network: AgentNetwork,
  { printLine }: Pick<RunOutput, 'printLine'>,
): { network?: NetworkRecord } {
  const record = network.record();
  network.close();
  if (!record) return {};
  printLine(logLine(describeLedger(record)));
  return { network: record };
}

/** For the log at the end of the agent. */
function describeLedger({ refused, allowed, moreRefused }: NetworkLedger): string {
  const times = refused.reduce((sum, { count }) => sum + count, moreRefused);
  const reached = `${plural(allowed.length, 'host')} reached through the proxy`;
  return refused.length === 0
    ? `network: ${reached}, none refused`
    : `network: ${reached}, ${plural(refused.length, 'host')} refused (${plural(times, 'time')})`;
}
