/** Runs programs that live until svc ends them, and that end with it, however it ends. */
import type { Env } from "svc/platform/entrance.ts";
import { denoProcesses, type Processes, type Run } from "./process.ts";
import { childEnv, programsOn, resolveProgram } from "./program.ts";

/** The one of util-linux; the kernel sends the signal when whoever started the program is gone (prctl(2), PR_SET_PDEATHSIG). */
const SETPRIV = "/usr/bin/setpriv";

/** What the makers of GPUs read; a server that does not see them computes on another GPU, or on none. */
const GPU_VARIABLES =
  /^(?:CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|HIP_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES|HSA_OVERRIDE_GFX_VERSION|GGML_VK_VISIBLE_DEVICES|LD_LIBRARY_PATH)$/;

export function gpuEnv(env: Pick<Env, "all">): Record<string, string> {
  const all = env.all();
  const gpu = Object.entries(all).filter(([name]) => GPU_VARIABLES.test(name));
  return { ...childEnv(all), ...Object.fromEntries(gpu) };
}

function endsWithUs(command: Run): Run {
  const { env: { PATH: path = "" }, refuseUnder = [command.cwd] } = command;
  const program = command.program.startsWith("/")
    ? command.program
    : resolveProgram(command.program, { path, refuseUnder });
  if (!programsOn("/usr/bin").has("setpriv")) return { ...command, program };
  const args = ["--pdeathsig", "TERM", "--", program, ...command.args];
  return { ...command, program: SETPRIV, args };
}

export function lastingProcesses(): Pick<Processes, "run"> {
  const processes = denoProcesses({ untimed: true });
  return { run: (command) => processes.run(endsWithUs(command)) };
}
