/** All processes that one sandbox holds, as they are seen from outside: by their pid namespace, whatever they did to
 * their environment. */

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined; // it ended
  }
}

function namespaceOf(pid: number): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined; // another user's, or it ended
  }
}

/** proc_pid_task_children(5). */
function childOf(pid: number): number | undefined {
  const first = read(`/proc/${pid}/task/${pid}/children`)?.split(" ", 1)[0];
  return first ? Number(first) : undefined;
}

/** The first process of the sandbox that this bwrap made: all others die with it. Undefined before it is there. */
export function firstWithin(bwrap: number): number | undefined {
  const outside = namespaceOf(bwrap);
  for (let pid = childOf(bwrap); pid !== undefined; pid = childOf(pid)) {
    const namespace = namespaceOf(pid);
    if (namespace !== undefined && namespace !== outside) return pid;
  }
  return undefined;
}

export function allWithin(bwrap: number): number[] {
  const first = firstWithin(bwrap);
  const namespace = first === undefined ? undefined : namespaceOf(first);
  if (namespace === undefined) return [];
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name))
    .filter((pid) => Number.isInteger(pid) && namespaceOf(pid) === namespace);
}

/** MB that the processes hold for themselves alone (RssAnon of proc_pid_status(5)). */
export function heldMb(pids: readonly number[]): number {
  const kib = pids.map((pid) =>
    /^RssAnon:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1]
  );
  return Math.ceil(kib.reduce((sum, one) => sum + Number(one ?? 0), 0) / 1024);
}
