// The environment of every test file. In a context of its own, which jest gives to each test file, Node looks up every
// global name through a proxy, each time. That makes tight loops slow. A script that declares the same name hides the
// proxy. Only names that no test replaces are declared.
import { setFlagsFromString } from 'node:v8';
import { runInContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

// What a test file loads is compiled again for each file. The V8 of Node 20 turns a function into fast code so early that
// this takes longer than it gains, unless the function runs for long. So it waits longer. Newer ones have another way.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');

const NAMES = [
  ...[
    'Array',
    'ArrayBuffer',
    'BigInt',
    'Boolean',
    'Buffer',
    'Error',
    'JSON',
    'Map',
    'Math',
    'Number',
    'Object',
  ],
  ...[
    'Promise',
    'Reflect',
    'RegExp',
    'Set',
    'String',
    'Symbol',
    'Uint8Array',
    'WeakMap',
    'isNaN',
    'parseInt',
  ],
];

export default class FastGlobals extends TestEnvironment {
  async setup() {
    await super.setup();
    runInContext(NAMES.map((name) => `const ${name} = globalThis.${name};`).join('\n'), this.getVmContext());
  }
}
