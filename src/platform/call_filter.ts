/** The words of filters of system calls (seccomp(2), bpf(2)): instructions, answers, and numbers of each machine. */

// linux/bpf_common.h
export const LOAD = 0x20;
export const IF_EQUAL = 0x15;
export const IF_AT_LEAST = 0x35;
export const RETURN = 0x06;

// linux/seccomp.h
export const ALLOW = 0x7fff_0000;
/** With an errno(3): the call is not made and fails with it. */
export const ERRNO = 0x0005_0000;

/** address_families(7). */
export const AF_UNIX = 1;

/** Makes sockets without the call; the same number on every architecture, as are all from 424 on. */
export const IO_URING_SETUP = 425;
/** The x32 calls of x86_64 begin here; they would be a second name for each. */
export const X32 = 0x4000_0000;

export interface Machine {
  /** linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
}

export const MACHINES = {
  x86_64: { audit: 0xc000_003e, socket: 41 },
  aarch64: { audit: 0xc000_00b7, socket: 198 },
} as const;

export type Instruction = readonly [code: number, ifSo: number, ifNot: number, value: number];

/** `struct sock_filter[]`; both machines are little-endian. */
export function encoded(instructions: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  instructions.forEach(([code, ifSo, ifNot, value], at) => {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, ifSo);
    view.setUint8(at * 8 + 3, ifNot);
    view.setUint32(at * 8 + 4, value, true);
  });
  return bytes;
}
