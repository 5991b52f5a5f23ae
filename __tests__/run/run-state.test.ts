import { describe, expect, it } from '@jest/globals';
import { originOf } from '../../src/run/run-state.js';

const HEAD = 'ffac537e6cbbf934b08745a378932722df287a53';
const ENV = {
  GITHUB_SERVER_URL: 'https://github.example.com/',
  GITHUB_REPOSITORY: 'o/r',
  GITHUB_RUN_ID: '12',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_TOKEN: 'not for the report',
};

describe('originOf', () => {
  it('names repository, pull request, commit, attempt and start', () => {
    expect(originOf({ pull: { number: 7, head: HEAD }, head: HEAD }, ENV, -performance.timeOrigin)).toEqual({
      startedAt: '1970-01-01T00:00:00.000Z',
      repository: 'o/r',
      repositoryUrl: 'https://github.example.com/o/r',
      runUrl: 'https://github.example.com/o/r/actions/runs/12/attempts/2',
      pullRequest: 7,
      commit: HEAD,
    });
  });

  it('takes the pull request of the change if the event names no other', () => {
    const change = { pullRequest: 9, commits: { kind: 'of-pull' as const } };
    expect(originOf({ change }, ENV, 0).pullRequest).toBe(9);
  });

  it('leaves out what is not known, as on a developer’s machine', () => {
    expect(Object.keys(originOf({}, {}, 0))).toEqual(['startedAt']);
    expect(originOf({}, { GITHUB_REPOSITORY: 'not a repository', GITHUB_RUN_ID: '1' }, 0)).not.toHaveProperty(
      'runUrl',
    );
    expect(originOf({}, { GITHUB_REPOSITORY: 'o/r' }, 0)).toMatchObject({
      repositoryUrl: 'https://github.com/o/r',
    });
  });
});
