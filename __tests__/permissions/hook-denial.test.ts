import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hookDenial, parseHookDenial } from '../../src/permissions/hook-denial.js';

describe('the message of the action’s own hook', () => {
  it('reads as agreed with the hook', () => {
    expect(hookDenial('Shell(git)')).toBe('cursor-agent-action: denied by Shell(git)');
  });

  it.each([
    ['cursor-agent-action: denied by Shell(git)', 'Shell(git)'],
    ['Shell blocked by preToolUse hook: cursor-agent-action: denied by Shell(git)', 'Shell(git)'],
    ['MCP:drop blocked by preToolUse hook: cursor-agent-action: denied by Mcp(db:*)', 'Mcp(db:*)'],
    ['Task blocked by preToolUse hook: cursor-agent-action: denied by Task\n\nAgent note: stop.', 'Task'],
  ])('%j names its rule', (message, rule) => {
    expect(parseHookDenial(message)).toBe(rule);
  });

  it.each([
    '',
    'Command execution was blocked by a hook.',
    'Shell blocked by preToolUse hook: denied by Shell(git)',
    '"echo cursor-agent-action: denied by Shell(x)" was blocked by a hook',
    'cursor-agent-action: denied by ',
  ])('%j is not one', (message) => {
    expect(parseHookDenial(message)).toBeUndefined();
  });

  it('gives back every rule, whatever the CLI writes around it', () => {
    const rule = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && !/[\r\n]/.test(text));
    fc.assert(
      fc.property(rule, fc.constantFrom('', 'Shell blocked by preToolUse hook: '), (text, before) => {
        expect(parseHookDenial(`${before}${hookDenial(text)}\n\nmore`)).toBe(text);
      }),
    );
  });
});
