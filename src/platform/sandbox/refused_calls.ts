/** The filter that bubblewrap loads: system calls that a build or a test does not need and that reach past namespaces. They
 * answer as on a kernel without them. */
import type { NetworkReach } from "svc/core/execution.ts";
import {
  AF_UNIX,
  ALLOW,
  encoded,
  ERRNO,
  IF_AT_LEAST,
  IF_EQUAL,
  type Instruction,
  IO_URING_SETUP,
  LOAD,
  MACHINES,
  RETURN,
  X32,
} from "svc/platform/call_filter.ts";

/** errno(3). */
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Offsets in `struct seccomp_data`; the low half of an argument. */
const AT_NUMBER = 0;
const AT_ARCH = 4;
const AT_FIRST = 16;
const AT_SECOND = 24;

/** ioctl_tty(2): they type into the terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** address_families(7). AF_VSOCK, which reaches the host of a virtual machine, is in no network namespace. */
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

/** asm/unistd_64.h and asm-generic/unistd.h: add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd,
 * open_by_handle_at, kexec_load, kexec_file_load. */
const CALLS = {
  x86_64: { ioctl: 16, refused: [248, 249, 250, 321, 298, 323, 304, 246, 320] },
  aarch64: { ioctl: 29, refused: [217, 218, 219, 280, 241, 282, 265, 104, 294] },
} as const;

/** io_uring_enter and io_uring_register follow. */
const IO_URING = [IO_URING_SETUP, IO_URING_SETUP + 1, IO_URING_SETUP + 2];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const answer = (value: number): Instruction => [RETURN, 0, 0, value];
/** Goes on with the next instruction where it is equal, else skips `skipped`. */
const where = (value: number, skipped: number): Instruction => [IF_EQUAL, 0, skipped, value];
const refuse = (value: number, errno: number) => [where(value, 1), answer(ERRNO | errno)];

/** For programs that may reach this network; namespaces do the rest. */
export function refusedCalls(
  machine: keyof typeof MACHINES,
  network: NetworkReach,
): Uint8Array<ArrayBuffer> {
  const { audit, socket } = MACHINES[machine];
  const { ioctl, refused } = CALLS[machine];
  const families = [AF_UNIX, AF_NETLINK, ...(network === "none" ? [] : [AF_INET, AF_INET6])];
  const ofTerminal = [
    load(AT_SECOND),
    ...refuse(TIOCSTI, EPERM),
    ...refuse(TIOCLINUX, EPERM),
    answer(ALLOW),
  ];
  const ofSocket = [
    load(AT_FIRST),
    ...families.flatMap((family) => [where(family, 1), answer(ALLOW)]),
    answer(ERRNO | EAFNOSUPPORT),
  ];
  return encoded([
    load(AT_ARCH),
    [IF_EQUAL, 1, 0, audit],
    answer(ERRNO | ENOSYS),
    load(AT_NUMBER),
    [IF_AT_LEAST, 0, 1, X32],
    answer(ERRNO | ENOSYS),
    ...[...refused, ...IO_URING].flatMap((number) => refuse(number, ENOSYS)),
    where(ioctl, ofTerminal.length),
    ...ofTerminal,
    where(socket, ofSocket.length),
    ...ofSocket,
    answer(ALLOW),
  ]);
}
