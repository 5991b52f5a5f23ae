import { describe, expect, it } from '@jest/globals';
import { findUnasked } from '../../src/report/denials.js';
import type { AgentEvent, ToolFacts, ToolKind, ToolOutcome } from '../../src/stream/events.js';
import { reportOf } from './builders.js';

const OK: ToolOutcome = { status: 'ok', message: '' };
const ended = (
  kind: ToolKind,
  name: string,
  outcome: ToolOutcome = OK,
  facts: ToolFacts = {},
): AgentEvent => ({
  type: 'tool-finished',
  tool: { name, kind, target: 'x', paths: [], isKnown: true },
  outcome,
  facts,
});
const ALL = ['Shell(*)', 'Read(**)', 'Write(**)', 'WebFetch(*)', 'Mcp(*:*)'];
const failed = { status: 'failed', message: 'no' } as const;
const denied = { status: 'denied', message: 'no' } as const;

describe('calls that ran although their whole kind is denied', () => {
  it.each<[string, AgentEvent, string]>([
    ['a command', ended('shell', 'piBash'), 'Shell(*)'],
    ['a command that failed', ended('shell', 'shell', failed, { exitCode: 1 }), 'Shell(*)'],
    [
      'a command that took too long',
      ended('shell', 'shell', { status: 'failed', message: 'timed out after 30 s' }),
      'Shell(*)',
    ],
    [
      'a command that was ended',
      ended('shell', 'shell', { status: 'failed', message: 'ended by SIGKILL' }),
      'Shell(*)',
    ],
    [
      'a command in the background',
      { ...ended('shell', 'shell'), background: { taskId: '1' } } as AgentEvent,
      'Shell(*)',
    ],
    ['an edit', ended('edit', 'applyAgentDiff'), 'Write(**)'],
    ['a removal', ended('delete', 'delete'), 'Write(**)'],
    ['a read', ended('read', 'piRead'), 'Read(**)'],
    ['a search in files', ended('search', 'piGrep'), 'Read(**)'],
    ['a search on the web', ended('web', 'webSearch'), 'WebFetch(*)'],
    ['a tool of a server', ended('mcp', 'mcp'), 'Mcp(*:*)'],
    // Tools that only the hook knows, or that the stream shows by their name.
    ['an image', ended('other', 'generateImage'), 'Write(**)'],
    ['an edit by a name that only the hook knows', ended('other', 'multi_str_replace'), 'Write(**)'],
    ['a read by a name that only the hook knows', ended('other', 'blameByFilePath'), 'Read(**)'],
  ])('%s is named, with its rule', (_, event, rule) => {
    const report = reportOf(event, event);
    const name = report.tools[0]?.name;
    expect(findUnasked(report, ALL)).toEqual([
      `the CLI ran \`${name}\` without asking, although ${rule} is denied: x`,
    ]);
    expect(findUnasked(report, ['Shell(git)', 'Write(**/.github/**)', 'garbage'])).toEqual([]);
  });

  it.each<[string, AgentEvent]>([
    ['was denied', ended('shell', 'shell', denied)],
    ['could not start', ended('shell', 'shell', failed)],
    ['failed', ended('edit', 'edit', failed)],
    ['looks for names', ended('search', 'glob')],
    ['looks something up', ended('list', 'getMcpTools')],
    ['plans', ended('plan', 'createPlan')],
    ['thinks', ended('other', 'think')],
    ['is known to nobody', ended('other', 'constructor')],
  ])('one that %s is not', (_, event) => {
    expect(findUnasked(reportOf(event), ALL)).toEqual([]);
  });
});
