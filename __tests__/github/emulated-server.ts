import { refuse, serveApi, type Answer, type Api, type ApiRequest, type ApiSettings } from './api-server.js';
import { startEmulator, type EmulatedGithub } from './emulator.js';
import type { Call } from './mirror.js';
import { OPERATIONS } from './operations.js';
import { ACTIONS_BOT, MARY, READ_TOKEN, WRITE_TOKEN } from './stateful-fake.js';

export interface EmulatedPull {
  number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  draft: boolean;
  head: { ref: string };
  base: { ref: string };
  labels: { name: string }[];
  requested_reviewers: { login: string }[];
}

export interface EmulatedServer extends Api {
  /** The bare repository. */
  bare: string;
  emulated: EmulatedGithub;
  /** The owner asks, below the repository. */
  owner: Call;
  /** The oldest first. */
  pulls(): Promise<EmulatedPull[]>;
  /** Every operation that writes, without the question who we are. */
  writes(): string[];
}

const PERMISSIONS = { contents: 'write', 'pull-requests': 'write', issues: 'write', checks: 'write' };
const TOKENS = new Map([
  [WRITE_TOKEN, PERMISSIONS],
  [READ_TOKEN, Object.fromEntries(Object.keys(PERMISSIONS).map((name) => [name, 'read']))],
]);

/** GitHub as a step needs it: the emulator, and who we are. By default it takes what propose may ask. */
export async function serveEmulator(
  bare: string,
  settings: Pick<ApiSettings, 'fault' | 'operations'> = {},
): Promise<EmulatedServer> {
  const emulated = await startEmulator(bare);
  const writes: string[] = [];
  const perform = async (request: ApiRequest): Promise<Answer> => {
    const permissions = TOKENS.get(request.authorization.replace(/^(?:token|bearer) /i, ''));
    if (!permissions) return refuse(401, 'Bad credentials');
    if (request.operation === 'POST /graphql' && JSON.stringify(request.body).includes('viewer'))
      return { body: { data: { viewer: { databaseId: ACTIONS_BOT.id, login: ACTIONS_BOT.login } } } };
    if (!request.operation.startsWith('GET ')) writes.push(request.operation);
    return emulated.answer(request, permissions);
  };
  const api = await serveApi(perform, { operations: OPERATIONS.propose, ...settings });
  const owner = emulated.as(MARY);
  const close = async () => {
    await emulated.close();
    await api.close();
  };
  const pulls = async () =>
    (await owner('GET', '/pulls?state=all&direction=asc')) as unknown as EmulatedPull[];
  return { ...api, bare, emulated, owner, pulls, writes: () => writes, close };
}
