/** Turns an error of the operating system about a file into a Failure; holds all texts of that kind. */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";

interface OsReason {
  readonly code: FailureCode;
  readonly why: string;
  /** `%` stands for the path, `^` for the folder that holds it, each as a word of a shell. */
  readonly remedy: string;
  readonly waits?: true;
}

const OWNER: Pick<OsReason, "code" | "remedy"> = {
  code: "environment",
  remedy: "Check owner and mode of the file and its folder: ls -ld % ^",
};

const UNKNOWN: Pick<OsReason, "code" | "remedy"> = {
  code: "failed",
  remedy: "Check the path: ls -ld %",
};

const SPACE: Omit<OsReason, "why"> = {
  code: "environment",
  remedy: "Free space on that disk, then run the command again: df -h ^",
  waits: true,
};

/** What keeps a file from being opened, and a program from being started. */
export const TOO_MANY_FILES = {
  EMFILE: {
    code: "environment",
    why: "svc has too many files open",
    remedy: "Raise the limit before starting svc: ulimit -n 4096",
    waits: true,
  },
  ENFILE: {
    code: "environment",
    why: "too many files are open on this machine",
    remedy: "sysctl fs.file-nr fs.file-max",
    waits: true,
  },
} as const;

/** Keyed by errno name (errno(3)); lower-case keys are refusals of the file layer itself. */
const REASONS = {
  ENOENT: { code: "not_found", why: "no such file or folder", remedy: "Check the path: ls -l ^" },
  EACCES: { ...OWNER, why: "permission denied" },
  EPERM: {
    code: "environment",
    why: "the system does not permit it",
    // Root meets this too: a file that is immutable or may only grow (chattr(1)).
    remedy:
      "Check owner, mode and attributes of the file and its folder: ls -ld % ^; lsattr -d % ^",
  },
  NotCapable: {
    code: "refused",
    why: "this process runs without permission for that path",
    remedy: "Name a path inside the svc home or the repository",
  },
  EROFS: {
    code: "environment",
    why: "the file system is read-only",
    remedy: "Remount it writable, or choose a folder on a writable disk: findmnt -T ^",
    // The kernel remounts a disk with errors so (ext4(5), errors=remount-ro): no fault of what is written.
    waits: true,
  },
  ENOSPC: { ...SPACE, why: "the disk is full" },
  EDQUOT: { ...SPACE, why: "the disk quota is used up" },
  EFBIG: {
    code: "environment",
    why: "the file would grow past the limit of this shell",
    remedy: "Raise the limit before starting svc: ulimit -f unlimited",
  },
  EIO: {
    code: "environment",
    why: "the disk reported an error",
    remedy: "Check the disk: dmesg | tail",
  },
  ...TOO_MANY_FILES,
  ENAMETOOLONG: {
    code: "usage",
    why: "the name is too long for the file system",
    remedy: "Use a name of at most 255 bytes",
  },
  EINVAL: { code: "usage", why: "the name is not valid", remedy: "Use a name without NUL" },
  ELOOP: {
    code: "failed",
    why: "its symbolic links form a loop",
    remedy: "Find and mend the link: namei %",
  },
  EISDIR: { code: "failed", why: "it is a folder", remedy: "Name a file" },
  ENOTDIR: {
    code: "failed",
    why: "a file stands where a folder is needed",
    remedy: "Check the path: namei %",
  },
  EEXIST: { code: "conflict", why: "it already exists", remedy: "Choose another name" },
  ENOTEMPTY: { code: "conflict", why: "the folder is not empty", remedy: "Remove what it holds" },
  EXDEV: {
    code: "failed",
    why: "the other place is on another file system",
    remedy: "Keep both on one file system: df ^",
  },
  EBUSY: {
    code: "conflict",
    why: "it is in use, or a mount of its own",
    remedy: "Look which: findmnt %; fuser -v %. In place of a single file, mount its folder",
  },
  ETXTBSY: { code: "conflict", why: "it is a running program", remedy: "End it, then retry" },
  symlink: {
    code: "refused",
    why: "a symbolic link is on the path, and links are not followed here",
    remedy: "Name the real path: readlink -f %",
  },
  not_regular: {
    code: "refused",
    why: "it is not a regular file",
    remedy: "Name a regular file: ls -ld %",
  },
  hard_linked: {
    code: "refused",
    why: "it has a second hard link, which may lie elsewhere",
    remedy: "Give the file one name only: cp -p % copy.tmp && mv copy.tmp %",
  },
  changed: {
    code: "conflict",
    why: "it changed since it was read",
    remedy: "Read the file again, then repeat the edit",
  },
  too_large: { code: "failed", why: "it is too large", remedy: "Check the file: ls -l %" },
  not_utf8: {
    code: "failed",
    why: "it is not UTF-8 text",
    remedy: "Find its encoding: file %, then convert it with iconv",
  },
  git_data: {
    code: "refused",
    why: "it names git's own data, which is never written as a file",
    remedy: "Use git for it",
  },
  no_containment: {
    code: "environment",
    why: "a folder can be held free of races only on Linux with /proc mounted",
    remedy: "Run svc on Linux, for example in a virtual machine or a container",
  },
} as const satisfies Readonly<Record<string, OsReason>>;

type ReasonKey = keyof typeof REASONS;

/** Thrown inside the file layer, where action and path are not known; `attempt` adds them. */
export class Blocked extends Error {
  readonly code: ReasonKey;
  constructor(code: ReasonKey, why: string = REASONS[code].why) {
    super(why);
    this.code = code;
  }
}

/** The same on Linux and macOS. */
const BY_NUMBER: Readonly<Record<string, string>> = {
  6: "not_regular",
  26: "ETXTBSY",
  27: "EFBIG",
};

export function osCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (thrown instanceof Deno.errors.NotCapable) return "NotCapable";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // Deno leaves `code` unset for a few numbers, with the number in the text.
  const number = thrown.message.match(/\(os error (\d+)\)/)?.[1];
  if (number === undefined) return undefined;
  return BY_NUMBER[number] ?? `error ${number}`;
}

/** @returns `internal` for what neither the system nor the file layer threw: a fault of svc */
export function osFailure(action: string, path: string, thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const code = osCode(thrown);
  if (code === undefined) return Failure.from(thrown);
  const reason: OsReason = REASONS[code as ReasonKey] ??
    { ...UNKNOWN, why: `the system says ${code}` };
  const why = thrown instanceof Blocked ? thrown.message : reason.why;
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/"))) ||
    (path.startsWith("/") ? "/" : ".");
  return new Failure(reason.code, `Cannot ${action} ${quoted(path)}: ${why}`, {
    cause: thrown,
    remedy: reason.remedy.replaceAll(/[%^]/g, (sign) => shellWord(sign === "%" ? path : folder)),
    ...(reason.waits && { waits: true }),
  });
}

export async function attempt<T>(
  action: string,
  path: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw osFailure(action, path, thrown);
  }
}
