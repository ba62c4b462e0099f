/** `svc` on a real terminal (a pseudo-terminal of util-linux' `script`): what it prints there, byte for byte. */
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";
import type { RunSite } from "./run_site.ts";
import { svcCommand } from "./script.ts";

/** One line of sh. */
const svcLine = () => svcCommand().map((word) => `'${word}'`).join(" ");

/** Runs all lines, one after another, on one terminal; gives what each printed, its lines ended by \n. */
export async function printedBy(
  { repo, env }: RunSite,
  lines: readonly string[],
): Promise<Map<string, string>> {
  const body = lines.map((line, at) =>
    `printf '@%s\\n' ${at}; ${line.replaceAll("svc ", `${svcLine()} `)}`
  );
  await repo.write(".git/run.sh", `${body.join("\n")}\necho all over\n`);
  await using terminal = new PseudoTerminal({
    line: `sh .git/run.sh`,
    cwd: repo.path,
    env: { ...env, TERM: "xterm-256color" },
  });
  for (const at of lines.keys()) await terminal.seen(new RegExp(`@${at}`));
  await terminal.seen(/all over/);
  const parts = terminal.printed.split(/@(\d+)\r\n/);
  return new Map(lines.map((line, at) => [
    line,
    parts[parts.indexOf(String(at)) + 1]!.replaceAll("\r\n", "\n"),
  ]));
}

/** `svc start` or `serve` on a terminal, alive until it is asked to stop. */
export function onTerminal(
  { repo, env }: RunSite,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): PseudoTerminal {
  return new PseudoTerminal({
    line: [svcLine(), ...args.map((word) => `'${word}'`)].join(" "),
    cwd: repo.path,
    env: { ...env, TERM: "xterm-256color", ...more },
  });
}
