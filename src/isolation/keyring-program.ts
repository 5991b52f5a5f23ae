/** The three system calls follow each other everywhere, so the number of the first, `add_key`, is enough. */
const ARCHITECTURES = [
  { name: 'x86_64 and x32', auditArch: 0xc000003e, addKey: 248 },
  { name: 'i386', auditArch: 0x40000003, addKey: 286 },
  { name: 'aarch64', auditArch: 0xc00000b7, addKey: 217 },
  { name: 'arm', auditArch: 0x40000028, addKey: 309 },
];
/** On x32 this bit is set in every number; nowhere else does a number have it. */
const X32_BIT = 0x40000000;

/** Where struct seccomp_data holds the number of the system call and its architecture. */
const OFFSET = { number: 0, arch: 4 };
const EPERM = 1;
/** SECCOMP_RET_ALLOW and SECCOMP_RET_ERRNO. */
const ANSWER = { allow: 0x7fff0000, refuse: 0x00050000 | EPERM };

/**
 * A program for the kernel that refuses `add_key`, `request_key` and `keyctl` and lets everything else pass: an
 * array of struct sock_filter. All architectures are in it, because a 64-bit machine runs 32-bit programs too.
 */
export function keyringProgram(): Buffer {
  const blocks = ARCHITECTURES.map(({ auditArch, addKey }) => {
    const block = [
      load(OFFSET.number),
      clearBit(X32_BIT),
      skipIfBelow(addKey, 2),
      skipIfAbove(addKey + 2, 1),
      answer(ANSWER.refuse),
      answer(ANSWER.allow),
    ];
    return Buffer.concat([skipUnlessEqual(auditArch, block.length), ...block]);
  });
  return Buffer.concat([load(OFFSET.arch), ...blocks, answer(ANSWER.allow)]);
}

// The codes are those of linux/bpf_common.h; `count` is how many of the next instructions are left out.
const load = (offset: number) => instruction(0x20, offset); // BPF_LD | BPF_W | BPF_ABS
const clearBit = (bit: number) => instruction(0x54, ~bit >>> 0); // BPF_ALU | BPF_AND | BPF_K
const skipUnlessEqual = (value: number, count: number) => instruction(0x15, value, { ifFalse: count }); // BPF_JMP | BPF_JEQ
const skipIfBelow = (value: number, count: number) => instruction(0x35, value, { ifFalse: count }); // BPF_JMP | BPF_JGE
const skipIfAbove = (value: number, count: number) => instruction(0x25, value, { ifTrue: count }); // BPF_JMP | BPF_JGT
const answer = (action: number) => instruction(0x06, action); // BPF_RET | BPF_K

/** All of these architectures are little-endian. */
function instruction(code: number, value: number, skip: { ifTrue?: number; ifFalse?: number } = {}): Buffer {
  const bytes = Buffer.from([code, 0, skip.ifTrue ?? 0, skip.ifFalse ?? 0, 0, 0, 0, 0]);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
