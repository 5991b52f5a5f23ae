import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { localPorts, type HostRule } from './allowed-hosts.js';
import { proxyPortBeside, type ForwarderOptions } from './forwarder.js';
import type { NetworkLedger, RefusedHost } from './ledger.js';
import { readRoute } from './parent-proxy.js';
import { createProxy } from './proxy.js';
import { systemLookup, type Lookup } from './reach.js';

interface NetworkRequest {
  /** A folder for the socket only. */
  folder: string;
  rules: readonly HostRule[];
  /** The environment of the action, which names the proxies of the job. */
  env: Readonly<Record<string, string | undefined>>;
  lookup?: Lookup;
  onRefused(host: RefusedHost): void;
}

/** A network with the proxy as its only way out. */
export interface ClosedNetwork {
  forwarder: ForwarderOptions;
  /** What the forwarder must be able to read. */
  shown: readonly string[];
  ledger(): NetworkLedger;
  close(): void;
}

const SOCKET = 'proxy';

/** Starts the proxy. Nothing is closed yet: the isolation of the agent does that. */
export async function openClosedNetwork(request: NetworkRequest): Promise<ClosedNetwork> {
  const { folder, rules, env, lookup = systemLookup(), onRefused } = request;
  const proxy = createProxy({ rules, route: readRoute(env).route, lookup, onRefused });
  mkdirSync(folder, { recursive: true });
  // An open folder has a short path, and the address of a socket must be short.
  const file = openSync(folder, 'r');
  try {
    await proxy.listen(`/proc/self/fd/${file}/${SOCKET}`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const ports = localPorts(rules);
  return {
    forwarder: { folder, socket: SOCKET, proxyPort: proxyPortBeside(ports), ports },
    shown: [folder, join(folder, SOCKET), process.execPath],
    ledger: proxy.ledger,
    close() {
      proxy.close();
      closeSync(file);
    },
  };
}
