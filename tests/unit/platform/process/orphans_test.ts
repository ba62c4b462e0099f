/** What ended below a process that is handed orphans, as the first one of a container is. */
import assert from "node:assert/strict";
import { collectOrphans, openWaitpid } from "svc/platform/process/orphans.ts";
import { until } from "tests/kit/until.ts";

const PR_SET_CHILD_SUBREAPER = 36;

/** This process is handed orphans, as the first one of a container is (prctl(2)). */
function subreaper(): Disposable {
  const libc = Deno.dlopen("libc.so.6", {
    prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  });
  assert.equal(libc.symbols.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n), 0);
  return {
    [Symbol.dispose]() {
      libc.symbols.prctl(PR_SET_CHILD_SUBREAPER, 0n, 0n, 0n, 0n);
      libc.close();
    },
  };
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2)[0];
  } catch {
    return undefined;
  }
}

Deno.test(
  "an orphan that ended is collected at the second look, and Deno's own child is left alone",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    using _handed = subreaper();
    const libc = openWaitpid()!;
    const script = "(sh -c 'echo $$; exec true' </dev/null &) ; sleep 0.2";
    const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
    const orphan = Number(new TextDecoder().decode(stdout));
    await until(() => stateOf(orphan) === "Z", () => `${stateOf(orphan)}`);
    const once = collectOrphans(libc.symbols, new Set());
    assert.equal(stateOf(orphan), "Z");
    const child = new Deno.Command("true").spawn();
    const twice = collectOrphans(libc.symbols, once);
    assert.equal(stateOf(orphan), undefined);
    const listed = (ids: ReadonlySet<string>) => [...ids].some((id) => id.startsWith(`${orphan} `));
    assert.deepEqual([listed(once), listed(twice)], [true, false]);
    assert.ok((await child.status).success);
    libc.close();
  },
);
