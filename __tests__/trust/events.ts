import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readGithubEvent, type GithubEvent } from '../../src/github/event.js';

export const eventFile = (name: string): string => resolve(join('fixtures', 'events', `${name}.json`));

/** The runner's variables for an event: who caused it is in the file too, as GitHub has it. */
export function eventVariables(event: string, fixture: string, actor?: string): Record<string, string> {
  const payload = JSON.parse(readFileSync(eventFile(fixture), 'utf8')) as { sender: { login: string } };
  return {
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: eventFile(fixture),
    GITHUB_REPOSITORY: 'acme/project',
    GITHUB_ACTOR: actor ?? payload.sender.login,
    GITHUB_TRIGGERING_ACTOR: payload.sender.login,
  };
}

export const githubEventOf = (event: string, fixture: string, actor?: string): GithubEvent =>
  readGithubEvent(eventVariables(event, fixture, actor));
