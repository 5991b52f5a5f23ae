import { gzipSync } from 'node:zlib';

/** An entry of a tar archive for a test, valid or not. */
export interface TarItem {
  name: string;
  /** The type flag; a file by default. */
  type?: string;
  content?: string | Buffer;
  target?: string;
  mode?: number;
  /** A size that differs from the size of the content. */
  size?: number;
}

/** Builds a tar archive byte by byte, so that it can contain what no tar program would write. */
export function tar(items: readonly TarItem[]): Buffer {
  return Buffer.concat([...items.flatMap(blocks), Buffer.alloc(1024)]);
}

export const tarGz = (items: readonly TarItem[]): Buffer => gzipSync(tar(items), { level: 1 });

function blocks({ name, type = '0', content = '', target = '', mode = 0o644, size }: TarItem): Buffer[] {
  const data = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${(size ?? data.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156, 'latin1');
  header.write(target, 157, 100);
  header.write('ustar\0', 257, 'latin1');
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
}

/** One pax record. Its length includes the length itself. */
export function paxRecord(key: string, value: string): string {
  const body = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(body);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${body}`;
}

export interface ZipItem {
  name: string;
  content?: string;
  /** Unix mode, for links. */
  mode?: number;
  /** The name in front of the file, if it differs from the name in the directory. */
  localName?: string;
}

/** A zip of stored files. */
export function zip(items: readonly ZipItem[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, localName = name } of items) {
    const data = Buffer.from(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    const named = (text: string) => {
      const copy = Buffer.from(common);
      copy.writeUInt16LE(Buffer.byteLength(text), 22);
      return copy;
    };
    const local = Buffer.concat([uint32(0x04034b50), named(localName), Buffer.from(localName), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const head = Buffer.concat([uint32(0x02014b50), Buffer.from([20, 3])]);
    centrals.push(Buffer.concat([head, named(name), tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(items.length, 8);
  end.writeUInt16LE(items.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment, 'latin1'), 20);
  return Buffer.concat([...locals, directory, end, Buffer.from(comment, 'latin1')]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A CLI that prints its version, packed as the vendor packs it. */
export function cliArchive(version: string, more: readonly TarItem[] = [], top = 'dist-package/'): Buffer {
  return tarGz([
    { name: top === '' ? './' : top, type: '5' },
    { name: `${top}cursor-agent`, content: versionScript(version), mode: 0o755 },
    { name: `${top}index.js`, content: 'export {};\n' },
    ...more,
  ]);
}

export const versionScript = (version: string): string => `#!/bin/sh\necho "${version}"\n`;
