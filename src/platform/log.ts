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
   * Redacted; line breaks inside are escaped. A line that the disk does not take is counted, and its number stands
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

/** One write(2) may take a part of the bytes. */
function writeWhole(file: Deno.FsFile, text: string): void {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(file.writeSync(rest));
}

export function commandLog(plan: LogPlan): Log {
  let opened: OpenedLog & { readonly number: string | undefined } | undefined;
  let whole = false;
  let missing = 0;
  const open = () => {
    try {
      if (opened !== undefined) return opened = stillThere(opened);
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
      const body = plan.redact(`${text}${pairs.join("")}`).replaceAll(/\r?\n/g, "\\n");
      const lineOf = (level: LogLevel, body: string) =>
        `${rfc3339(plan.clock.now())} ${level.toUpperCase().padEnd(5)} ${body}\n`;
      // The disk may have taken a part of the first line that is missing.
      const gap = missing === 0
        ? ""
        : `\n${lineOf("warn", `${counted(missing, "line")} missing: the disk did not take more`)}`;
      const { file, path } = open();
      try {
        writeWhole(file, `${gap}${lineOf(level, body)}`);
        missing = 0;
      } catch (thrown) {
        missing++;
        if (!whole) return;
        const { message, detail } = osFailure("write the command log", path, thrown);
        throw new Failure("environment", message, {
          ...detail,
          remedy: "Free space on its disk, and see that files may grow (ulimit -f)",
        });
      }
    },
  };
}
