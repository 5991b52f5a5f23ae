import { refuse, serveApi, type Answer, type Api, type ApiRequest } from './api-server.js';
import { startEmulator, type EmulatedGithub } from './emulator.js';
import type { Call } from './mirror.js';
import { OPERATIONS } from './operations.js';
import { ACTIONS_BOT, MARY, READ_TOKEN, WRITE_TOKEN, type Fault } from './stateful-fake.js';

export interface ProposedPull {
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

export interface ProposalGithub extends Api {
  /** The bare repository. */
  bare: string;
  emulated: EmulatedGithub;
  /** The owner asks, below the repository. */
  owner: Call;
  /** The oldest first. */
  pulls(): Promise<ProposedPull[]>;
  /** Every operation that writes, without the question who we are. */
  writes(): string[];
}

export interface ProposalSettings {
  /** Called before each request; what it returns is answered instead, or after the request is carried out. */
  fault?: (request: ApiRequest, bare: string) => Fault | undefined;
  /** What may be asked; by default what propose may ask. */
  operations?: readonly string[];
}

const PERMISSIONS = { contents: 'write', 'pull-requests': 'write', issues: 'write', checks: 'write' };
const TOKENS = new Map([
  [WRITE_TOKEN, PERMISSIONS],
  [READ_TOKEN, Object.fromEntries(Object.keys(PERMISSIONS).map((name) => [name, 'read']))],
]);

/** GitHub as a step needs it: the emulator, with what GitHub must not be asked, and with faults. */
export async function startProposals(
  bare: string,
  { fault, operations = OPERATIONS.propose }: ProposalSettings = {},
): Promise<ProposalGithub> {
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
  const answering = async (request: ApiRequest): Promise<Answer | 'hang up'> => {
    const wrong = fault?.(request, bare);
    const isAfter = typeof wrong === 'object' && 'after' in wrong;
    if (wrong !== undefined && !isAfter) return wrong;
    const answer = await perform(request);
    return isAfter ? wrong.after : answer;
  };
  const api = await serveApi(answering, { operations });
  const owner = emulated.as(MARY);
  const close = async () => {
    await emulated.close();
    await api.close();
  };
  const pulls = async () =>
    (await owner('GET', '/pulls?state=all&direction=asc')) as unknown as ProposedPull[];
  return { ...api, bare, emulated, owner, pulls, writes: () => writes, close };
}
