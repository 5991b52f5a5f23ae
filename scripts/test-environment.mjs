// The environment of every test file. In a context of its own, which jest gives to each test file, Node looks up every
// global name through a proxy, each time. That makes tight loops slow. A script that declares the same name hides the
// proxy. Only names that no test replaces are declared.
import { runInContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

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
