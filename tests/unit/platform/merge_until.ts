/** Merges "svc/work" into main and stops for ever at one git call: run as a program, to be killed. */
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { worktreePorts } from "./worktree_ports.ts";

const [path = "", word = "", when = "before"] = Deno.args;
const real = denoProcesses();
const processes: Processes = {
  ...real,
  async run(command) {
    if (!command.args.includes(word)) return await real.run(command);
    const ended = when === "after" ? await real.run(command) : undefined;
    console.log("here");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return ended ?? await real.run(command);
  },
};
using at = await worktreePorts(path, "/nonexistent", processes);
await at.worktrees.merge(at.repo, {
  doing: "merge T-0001",
  into: "main",
  from: "svc/work",
  message: "merge",
});
