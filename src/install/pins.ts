/** The expected hash and size of one archive. */
export interface Pin {
  sha256: string;
  bytes: number;
}

export type PlatformName = `${'linux' | 'darwin' | 'windows'}/${'x64' | 'arm64'}`;

export interface PinnedBuild {
  /** Where the hashes come from. */
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
  '2026.09.10-fd3934a': {
    source:
      'Measured by independent public packagers; linux/x64 agrees in six of them, darwin with the Homebrew cask.',
    archives: {
      'linux/x64': pin('27997c8391ad853a5a732b1845db8ef82a8ba6afb0f7829cc739464f8966e96e', 179673253),
      'linux/arm64': pin('e0494438b01c37bc34848491d1f3478ef469494c56caf020de11796d146db64a', 177655979),
      'darwin/x64': pin('964cc72e88125c6b48ecaaebef68bf7cb752eb7b9d010a5535cf9f8e677dcf83', 181409095),
      'darwin/arm64': pin('aec0b01ae056de48a02fe315fbf0580eb91377752d993307499988cbe0285423', 174178929),
      'windows/x64': pin('cdf0b9b7c2f8892d4c2d2ccbf38226c831a0d56a043e2132d90f1aefac90b846', 74169932),
      'windows/arm64': pin('acb34343a1915085fd882d392b4d3c35ecf54b15467df6a4cf34c62e065412e8', 72069603),
    },
  },
};

/** The newest build in the table. Versions begin with their date, so they sort by name. */
export const DEFAULT_CURSOR_VERSION = Object.keys(CURSOR_PINS).sort().at(-1) ?? '';

/** clido publishes no hashes, and nobody else has measured any. */
export const DEFAULT_CLIDO_VERSION = '1.0.15';

function pin(sha256: string, bytes: number): Pin {
  return { sha256, bytes };
}
