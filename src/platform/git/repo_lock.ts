/** The lock of a repo: its holder may commit in the repo and hand out its ticket numbers. */
import { REPO_LOCK_BYTES, REPO_LOCK_POLL_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import { factsOf, mustBeRegular, readBounded, writeAll } from "svc/platform/files/disk.ts";
import { attempt, Blocked, osCode } from "svc/platform/files/os_errors.ts";
import type { GitLocation } from "./hardening.ts";

const REPO_LOCK_WAIT_MS = 10_000;

/** The lock itself is flock(2), which any death frees. */
export interface LockHolder {
  readonly pid: number;
  /** Tells a pid from one of another machine or container (random(4)). */
  readonly boot_id: string;
  readonly since: string;
  readonly doing: string;
}

export interface RepoLock extends Disposable {
  readonly path: string;
}

interface LockPlan {
  readonly doing: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** From one's turn among the waiters of this process; `REPO_LOCK_WAIT_MS` by default. */
  readonly waitMs?: number;
}

export type LockRepo = (
  place: Pick<GitLocation, "root" | "commonDir">,
  plan: LockPlan,
) => Promise<RepoLock>;

/** One for all worktrees; it stays, since removing it would free it for two at once. */
const NAME = "svc.lock";

/** By path; settles when the last waiter of this process is done with it. */
const queues = new Map<string, Promise<void>>();

/** First come first served; disposing it lets the next one in. @throws Failure `interrupted` by the signal */
async function turn(path: string, root: string, { doing, signal }: LockPlan): Promise<Disposable> {
  const before = queues.get(path) ?? Promise.resolve();
  const { promise: through, resolve: leave } = Promise.withResolvers<void>();
  const last = before.then(() => through);
  queues.set(path, last);
  last.then(() => {
    if (queues.get(path) === last) queues.delete(path);
  });
  if (await endsFirst(before, signal)) return { [Symbol.dispose]: leave };
  leave();
  throw interrupted(doing, root);
}

async function endsFirst(wait: Promise<void>, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  const { promise: aborted, resolve } = Promise.withResolvers<false>();
  const abort = () => resolve(false);
  signal?.addEventListener("abort", abort);
  try {
    return await Promise.race([wait.then(() => true), aborted]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** @throws Failure `conflict` that `waits` and names the holder, `interrupted` by the signal, `refused` when
 * the file is no plain file, `environment` where nothing can be locked */
export const lockRepo: LockRepo = async (place, plan) => {
  const path = `${place.commonDir}/${NAME}`;
  const mine = await turn(path, place.root, plan);
  try {
    const file = await lockedFile(path, place.root, plan);
    return {
      path,
      [Symbol.dispose]() {
        release(file);
        mine[Symbol.dispose]();
      },
    };
  } catch (thrown) {
    mine[Symbol.dispose]();
    throw thrown;
  }
};

/** A process that another thread just forks has every open file until it starts its program: closing frees nothing. */
function release(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

async function lockedFile(path: string, root: string, plan: LockPlan): Promise<Deno.FsFile> {
  const file = await attempt("open the lock", path, () => openPlain(path));
  try {
    await acquire(file, path, root, plan);
    await attempt("write the lock", path, () => writeHolder(file, plan));
  } catch (thrown) {
    release(file);
    throw thrown;
  }
  return file;
}

/** For svc's own files; any death frees it. @returns the lock, or who has it, where that can be told */
export async function tryLock(
  path: string,
  plan: Pick<LockPlan, "doing" | "clock">,
): Promise<{ readonly lock: Disposable } | { readonly holder: LockHolder | undefined }> {
  const file = await attempt("open the lock", path, () => openPlain(path));
  try {
    if (!await attempt("lock", path, () => file.tryLockSync(true))) {
      const holder = await readHolder(file);
      file.close();
      return { holder };
    }
    await attempt("write the lock", path, () => writeHolder(file, plan));
  } catch (thrown) {
    release(file);
    throw thrown;
  }
  return { lock: { [Symbol.dispose]: () => release(file) } };
}

export const holderText = (holder: LockHolder | undefined) =>
  holder === undefined ? "another svc" : `process ${holder.pid}, since ${holder.since}`;

/** @returns the holder as text, when somebody else has it */
export async function tryLockFile(
  path: string,
  plan: Pick<LockPlan, "doing" | "clock">,
): Promise<Disposable | string> {
  const tried = await tryLock(path, plan);
  return "lock" in tried ? tried.lock : holderText(tried.holder);
}

/** Held by a start for its life. @param folder of its database */
export const startLockPath = (folder: string, repoId: string) => `${folder}/start-${repoId}.lock`;

/** Changes nothing, and waits for nobody. @returns the holder as text; undefined where nobody has it */
export async function holderOf(path: string): Promise<string | undefined> {
  if (!await Deno.lstat(path).then(() => true, () => false)) return undefined;
  using file = await attempt("open the lock", path, () => openPlain(path));
  if (!await attempt("lock", path, () => file.tryLockSync(false))) {
    return holderText(await readHolder(file));
  }
  file.unlockSync();
  return undefined;
}

/** A repo that was unpacked, not cloned, may bring a link or a FIFO of that name. */
function openPlain(path: string): Deno.FsFile {
  try {
    Deno.openSync(path, { createNew: true, write: true, mode: 0o600 }).close();
  } catch (thrown) {
    if (osCode(thrown) !== "EEXIST") throw thrown;
  }
  const before = factsOf(Deno.lstatSync(path));
  mustBeRegular(before);
  const file = Deno.openSync(path, { read: true, write: true });
  const { ino, dev, nlink } = file.statSync();
  if (ino === before.inode && dev === before.device && nlink === 1) return file;
  file.close();
  throw new Blocked(nlink === 1 ? "changed" : "hard_linked");
}

async function acquire(file: Deno.FsFile, path: string, root: string, plan: LockPlan) {
  const { doing, clock, signal, waitMs = REPO_LOCK_WAIT_MS } = plan;
  const deadline = clock.monotonic() + waitMs;
  while (!await attempt("lock", path, () => file.tryLockSync(true))) {
    if (signal?.aborted) throw interrupted(doing, root);
    if (clock.monotonic() >= deadline) throw await busy(file, path, root, plan);
    await clock.sleep(REPO_LOCK_POLL_MS, signal);
  }
}

const interrupted = (doing: string, root: string) =>
  new Failure("interrupted", `Cannot ${doing}: interrupted while ${quoted(root)} is busy`);

async function busy(file: Deno.FsFile, path: string, root: string, plan: LockPlan) {
  const holder = await readHolder(file);
  const who = holder === undefined
    ? "another svc"
    : `svc with pid ${holder.pid} (${quoted(holder.doing)}, since ${holder.since})`;
  return new Failure(
    "conflict",
    `Cannot ${plan.doing}: ${who} holds the lock of ${quoted(root)}`,
    {
      remedy: `Wait until it is done, or look what it does: fuser -v ${quoted(path)}`,
      waits: true,
    },
  );
}

async function writeHolder(
  file: Deno.FsFile,
  { doing, clock }: Pick<LockPlan, "doing" | "clock">,
): Promise<void> {
  const holder: LockHolder = {
    pid: Deno.pid,
    boot_id: bootId(),
    since: rfc3339(clock.now()),
    doing,
  };
  const bytes = new TextEncoder().encode(`${JSON.stringify(holder)}\n`);
  await writeAll(file, bytes);
  // What a longer one left. Cut to nothing before, ext4 would find a new place on the disk for it each time.
  file.truncateSync(bytes.length);
}

async function readHolder(file: Deno.FsFile): Promise<LockHolder | undefined> {
  file.seekSync(0, Deno.SeekMode.Start);
  const { bytes } = await readBounded(file, { size: REPO_LOCK_BYTES, maxBytes: REPO_LOCK_BYTES });
  try {
    const read = JSON.parse(new TextDecoder().decode(bytes)) as Partial<LockHolder> | null;
    const { pid, since, doing } = read ?? {};
    const whole = typeof pid === "number" && typeof since === "string" && typeof doing === "string";
    return whole ? read as LockHolder : undefined;
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim();
  } catch {
    return "";
  }
}
