import { describe, expect, it } from '@jest/globals';
import { nestedSandboxNote } from '../../src/report/verification.js';

describe('a command that wanted to make a sandbox of its own', () => {
  it.each([
    ['bubblewrap', 'bwrap: No permissions to create new namespace'],
    [
      'Chromium',
      '[0101/000000.1:FATAL:zygote_host_impl_linux.cc(126)] No usable sandbox! Update your kernel',
    ],
    [
      'Chromium with its helper',
      'The SUID sandbox helper binary was found, but is not configured correctly.',
    ],
    ['Chromium in a namespace', 'Failed to move to new namespace: PID namespaces supported'],
    ['a rootless container', 'newuidmap: write to uid_map failed: Operation not permitted'],
    ['podman', 'cannot clone: Operation not permitted\nError: cannot re-exec process'],
    ['unshare', 'unshare: unshare failed: Operation not permitted'],
  ])('is recognised: %s', (_, output) => {
    expect(nestedSandboxNote(['1 test failed', output])).toMatch(/sandbox of its own.*step of its own/s);
  });

  it('is not seen in other failures', () => {
    expect(nestedSandboxNote(['permission denied', 'sandbox: 3 tests failed', ''])).toBeUndefined();
    expect(nestedSandboxNote([])).toBeUndefined();
  });
});
