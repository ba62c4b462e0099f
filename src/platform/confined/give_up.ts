/** Gives up for good what a command does not need, before it reads anything of a repo
 * (docs/decisions/0046-permissions-given-up.md). */
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
  type Machine,
  MACHINES,
  RETURN,
  X32,
} from "svc/platform/call_filter.ts";

/** `output`: reads files and prints. `offline`: all but the internet, also for the programs it starts. */
export type Authority = "output" | "offline" | "whole";

/** The kinds that can be revoked, but `read` and `env`, which every command needs. */
export const REVOKED = ["net", "run", "write", "ffi", "sys", "import"] as const;

/** Deno's own permissions. On Linux whoever revokes one loses /proc as well, and with it the way in which
 * folders are held (held_folder.ts): denoland/deno#34393 asks for all permissions there. */
function revoke(kinds: readonly (typeof REVOKED)[number][]): void {
  for (const name of kinds) Deno.permissions.revokeSync({ name });
}

// linux/seccomp.h, linux/prctl.h
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1n;
const SECCOMP_FILTER_FLAG_TSYNC = 1n;

const REFUSE = ERRNO | 13; // EACCES

/** Numbers of seccomp(2) itself. */
const SECCOMP = { x86_64: 317n, aarch64: 277n } as const;

/** Sockets of this machine's own programs stay: commits may be signed by an agent. */
function filter({ audit, socket }: Machine): readonly Instruction[] {
  return [
    [LOAD, 0, 0, 4], // seccomp_data.arch: a program may be of another one
    [IF_EQUAL, 0, 7, audit],
    [LOAD, 0, 0, 0], // seccomp_data.nr
    [IF_AT_LEAST, 5, 0, X32],
    [IF_EQUAL, 4, 0, IO_URING_SETUP],
    [IF_EQUAL, 0, 2, socket],
    [LOAD, 0, 0, 16], // seccomp_data.args[0]
    [IF_EQUAL, 0, 1, AF_UNIX],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ];
}

/** struct sock_fprog: the count, then where the instructions are. */
function programOf(instructions: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, instructions.byteLength / 8, true);
  const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(instructions));
  view.setBigUint64(8, BigInt(address), true);
  return bytes;
}

const LIBC = {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  syscall: { parameters: ["i64", "u64", "u64", "buffer"], result: "i64" },
} as const;

/** For all threads and all programs started from now on; nothing takes it back (seccomp(2)). @throws Error */
function leaveInternet(): void {
  const { arch } = Deno.build;
  const libc = Deno.dlopen("libc.so.6", LIBC);
  try {
    const instructions = encoded(filter(MACHINES[arch]));
    libc.symbols.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n);
    const failed = libc.symbols.syscall(
      SECCOMP[arch],
      SECCOMP_SET_MODE_FILTER,
      SECCOMP_FILTER_FLAG_TSYNC,
      programOf(instructions),
    );
    if (failed !== 0n) throw new Error("the kernel takes no filter of system calls");
  } finally {
    libc.close();
  }
}

/** @returns why the internet is still within reach, where this machine cannot take it away */
export function giveUp(authority: Authority): string | undefined {
  if (authority === "whole") return undefined;
  if (authority === "output") revoke(REVOKED);
  else if (Deno.build.os !== "linux") revoke(["net", "ffi"]);
  else {
    try {
      leaveInternet();
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
}
