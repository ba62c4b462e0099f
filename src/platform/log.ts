/** The command log: one owner-only file per run, opened with its first line (spec section 2.1). */
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import { fileStamp, rfc3339 } from "svc/core/time.ts";
import type { Clock } from "./clock.ts";
import { fileNumber } from "./files/file_watch.ts";
import { osFailure } from "./files/os_errors.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

export interface Log {
  /**
   * Redacted; line breaks and other control characters inside are escaped. A line that the disk does not take is counted, and its number stands
   * before the next one: most lines tell of a failure, which a full disk must not turn into the end of a service.
   * @throws Failure `environment` while it cannot be opened, and after `open` when the disk does not take the line
   */
  write(level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Lets a bad path fail before any work; from here on no line may be missing. @throws Failure `environment` */
  open(): void;
  path(): string | undefined;
  close(): void;
}

interface LogPlan {
  /** Called when the log is opened, since a command may need no home. */
  readonly folder: () => string;
  readonly file?: string;
  readonly command: string;
  readonly clock: Clock;
  readonly redact: Redact;
}

function refuse(path: string, why: string): never {
  throw new Failure("usage", `Cannot log to "${path}": ${why}`, {
    remedy: "Pass another --log-file, or leave it out",
  });
}

/** @returns whether it is there. @throws Failure `usage` for a folder, a link and a device */
function isLog(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile || refuse(path, "it is not a regular file");
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}

/** Creates nothing. @throws Failure `usage` for what can be no log, and where no folder is */
export function refuseAsLog(path: string): void {
  try {
    if (!isLog(path)) Deno.statSync(path.slice(0, path.lastIndexOf("/")) || "/");
  } catch (thrown) {
    const { NotFound, NotADirectory } = Deno.errors;
    if (!(thrown instanceof NotFound || thrown instanceof NotADirectory)) throw thrown;
    refuse(path, "its folder is not there");
  }
}

/** Owner-only. */
function openNamed(path: string): Deno.FsFile {
  isLog(path);
  const file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  Deno.chmodSync(path, 0o600);
  return file;
}

interface OpenedLog {
  readonly file: Deno.FsFile;
  readonly path: string;
}

/** A new log is begun if the file was rotated or removed, since a service may write it for months. */
function stillThere(log: OpenedLog & { readonly number: string | undefined }) {
  if (fileNumber(log.path) === log.number) return log;
  const file = openNamed(log.path);
  log.file.close();
  return { file, path: log.path, number: fileNumber(log.path) };
}

function openOnce(plan: LogPlan): OpenedLog {
  const name = `${fileStamp(plan.clock.now())}-${plan.command.replaceAll(/[^a-z0-9]+/g, "-")}`;
  if (plan.file !== undefined) return { file: openNamed(plan.file), path: plan.file };
  const folder = plan.folder();
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let twin = 1;; twin++) {
    const path = `${folder}/${name}${twin === 1 ? "" : `-${twin}`}.log`;
    try {
      return { file: Deno.openSync(path, { append: true, createNew: true, mode: 0o600 }), path };
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AlreadyExists)) throw thrown;
    }
  }
}

function describe(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? String(value);
  const cause = value.cause === undefined ? "" : ` caused by ${describe(value.cause)}`;
  return JSON.stringify(value.stack ?? String(value)) + cause;
}

// deno-lint-ignore no-control-regex -- they are what is escaped
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;

const LINE_FEED = 10;

/** A check's output and the words of others come here, too: whoever shows the log in a terminal obeys none of it. */
const escaped = (text: string): string =>
  text.replaceAll(/\r?\n/g, "\\n").replaceAll(
    CONTROLS,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

interface Written {
  /** Bytes; one write(2) may take a part of them. */
  readonly taken: number;
  /** What kept the rest from the disk. */
  readonly fault?: { readonly thrown: unknown };
}

function written(file: Deno.FsFile, bytes: Uint8Array): Written {
  let taken = 0;
  try {
    while (taken < bytes.length) taken += file.writeSync(bytes.subarray(taken));
    return { taken };
  } catch (thrown) {
    return { taken, fault: { thrown } };
  }
}

export function commandLog(plan: LogPlan): Log {
  let opened: OpenedLog & { readonly number: string | undefined } | undefined;
  let whole = false;
  let missing = 0;
  /** The disk took a part of the last line. */
  let cut = false;
  const open = () => {
    try {
      if (opened !== undefined) {
        const now = stillThere(opened);
        cut &&= now === opened;
        return opened = now;
      }
      const { file, path } = openOnce(plan);
      opened = { file, path, number: fileNumber(path) };
    } catch (thrown) {
      // One that cannot be begun anew goes on where it is.
      if (opened !== undefined) return opened;
      if (thrown instanceof Failure) throw thrown;
      const where = plan.file ?? plan.folder();
      const { message, detail } = osFailure("write the command log", where, thrown);
      throw new Failure("environment", message, {
        ...detail,
        cause: thrown,
        remedy: "Make the folder writable, set SVC_HOME to one that is, or pass --log-file",
      });
    }
    return opened;
  };
  return {
    open() {
      open();
      whole = true;
    },
    path: () => opened?.path,
    close() {
      opened?.file.close();
      opened = undefined;
    },
    write(level, text, fields = {}) {
      const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${describe(value)}`);
      const body = escaped(plan.redact(`${text}${pairs.join("")}`));
      const lineOf = (level: LogLevel, body: string) =>
        `${rfc3339(plan.clock.now())} ${level.toUpperCase().padEnd(5)} ${body}\n`;
      const { file, path } = open();
      const gap = missing === 0
        ? ""
        : lineOf("warn", `${counted(missing, "line")} missing: the disk did not take more`);
      const bytes = new TextEncoder().encode(`${cut ? "\n" : ""}${gap}${lineOf(level, body)}`);
      const { taken, fault } = written(file, bytes);
      if (taken > 0) cut = bytes[taken - 1] !== LINE_FEED;
      missing = fault === undefined ? 0 : missing + 1;
      if (fault === undefined || !whole) return;
      const { message, detail } = osFailure("write the command log", path, fault.thrown);
      throw new Failure("environment", message, {
        ...detail,
        remedy: "Free space on its disk, and see that files may grow (ulimit -f)",
      });
    },
  };
}
