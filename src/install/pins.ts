/** The expected hash of one archive, and its size where it is known. The hash alone decides. */
export interface Pin {
  sha256: string;
  bytes?: number;
}

export type PlatformName = `${'linux' | 'darwin' | 'windows'}/${'x64' | 'arm64'}`;

export interface PinnedBuild {
  source: string;
  archives: Readonly<Record<PlatformName, Pin>>;
}

/**
 * The builds of the Cursor CLI that this action knows, newest first, with the sha256 and size of each archive at
 * https://downloads.cursor.com/lab/<version>/<os>/<arch>/agent-cli-package.<tar.gz, on Windows zip>.
 * Cursor publishes no checksums, so each build says who measured them. `npm run pins -- <version>` adds a build.
 */
export const CURSOR_PINS: Readonly<Record<string, PinnedBuild>> = {
  '2026.10.01-e373342': {
    source:
      'Measured by independent public packagers; linux/x64, linux/arm64 and darwin/arm64 agree with nixpkgs.',
    archives: {
      'linux/x64': pin('a79726c6e644520e993970be4c45775a6889802b67abe461a677a53219ae28e8', 182613962),
      'linux/arm64': pin('785c5f6bf2a60eb1121e27ed8c14f5ee07ed1b5b6692324f2d9a997238245eb5', 180560415),
      'darwin/x64': pin('a80db6e15626e0aa7af60fab3a95c98a243e2c1513c0c9485344a553d7b7b00e', 184196702),
      'darwin/arm64': pin('629e51de43a0b7fb3b86f5ebc7e579f7df7df941b39f29e82945cde750145afc', 176796992),
      'windows/x64': pin('31896ce9a43f63c8ae7ff3c4bee868213d6d02d60fb49908bef6dc91d582f6ee', 77156248),
      'windows/arm64': pin('3341c84d1de73461667df152967dc3a10394fb9792115cac1918457fe85c44b3', 75076180),
    },
  },
  '2026.10.01-14929f9': {
    source:
      'Published by independent public packagers, one of whom downloaded them again to check. No sizes.',
    archives: {
      'linux/x64': pin('ba9a855f8f813c91b9f2707127572d2dc9ae5a62818e1c36719625d0fb8bd452'),
      'linux/arm64': pin('c31ef0ba6b827fdf8053919de57abae4a7bd71afefdf2cab061e276faac42b3a'),
      'darwin/x64': pin('8930008f9902a4d02d3185c0d34071e0536bac3426439b55bcfd48b78765a3dd'),
      'darwin/arm64': pin('778d04e542adc5c8b6760fda3ebe0757f903b1764f2792c232ef9a35e6e2151b'),
      'windows/x64': pin('2558ae1ddc155f43791e8eed145afa0366c5ad6a266b0e40c0b5c9490a945a5f'),
      'windows/arm64': pin('eda025bf9cc7632e48d290fa52468104916f0db261e2fa44306ad184cd1274c9'),
    },
  },
};

/** The first of the newest builds in the table. The name of a build begins with its date. */
export const DEFAULT_CURSOR_VERSION = Object.keys(CURSOR_PINS).reduce((newest, version) =>
  dayOf(version) > dayOf(newest) ? version : newest,
);

/** clido publishes no hashes, and no independent source has measured any. */
export const DEFAULT_CLIDO_VERSION = '1.0.15';

function dayOf(version: string): string {
  return version.slice(0, '2026.10.01'.length);
}

function pin(sha256: string, bytes?: number): Pin {
  return { sha256, ...(bytes === undefined ? {} : { bytes }) };
}
