/** Debian's bubblewrap as tests use it, and why a machine has none that works. */
import type { ExecutionRules } from "svc/core/execution.ts";
import { ExecutionSettings } from "svc/features/settings/execution_settings.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import type { SandboxUser } from "svc/platform/sandbox/places.ts";
import { openBubblewrap, type Sandbox } from "svc/platform/sandbox/sandbox.ts";

export const rulesWith = (more: object = {}): ExecutionRules =>
  ExecutionSettings.parse({ sandbox: "bubblewrap", ...more });

const files = denoFiles();
const plain = denoProcesses();

/** @param folder holds the filters of system calls */
export async function openSandbox(
  folder: string,
  rules: ExecutionRules,
  user: Partial<SandboxUser> = {},
): Promise<Sandbox> {
  const env = { HOME: folder, PATH: "/usr/bin:/bin" };
  return await openBubblewrap({ files, run: plain.run }, {
    rules,
    user: { env, own: [], databases: [], ...user },
    folder: `${folder}/filters`,
  });
}

export function sandboxedProcesses(sandbox: Sandbox, watchMs = 50): Processes {
  return denoProcesses({ watchMs }, () => Promise.resolve(sandbox));
}

/** Bubblewrap itself is asked, so that a fault of svc skips nothing. */
async function whyNone(): Promise<string | undefined> {
  const args = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/"];
  try {
    const asked = new Deno.Command("bwrap", { args: [...args, "--proc", "/proc", "/bin/true"] });
    const { success, stderr } = await asked.output();
    return success ? undefined : new TextDecoder().decode(stderr).trim();
  } catch (thrown) {
    return String(thrown);
  }
}

/** For `ignore` of a test; it says why. */
export async function cannotContain(): Promise<boolean> {
  const why = await whyNone();
  if (why !== undefined) console.error(`tests of the sandbox are skipped: ${why}`);
  return why !== undefined;
}
