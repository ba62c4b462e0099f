/** The service of a demo: `svc start` in acknowledged host mode, and the first line that it prints. */
import type { Site } from "./site.ts";

export interface Started {
  readonly dashboard_url: string;
  readonly pid: number;
}

export function startService(site: Site, endpoint: string, secret: string): Deno.ChildProcess {
  const host = ["--execution-profile", "host", "--acknowledge-host-execution"];
  return new Deno.Command(Deno.env.get("SVC_BIN") ?? "dist/svc", {
    args: ["start", "--repo", site.repo, "--json", "--model-endpoint", endpoint, ...host],
    env: { SVC_HOME: site.home, SVC_DASHBOARD_CONTROL_SECRET: secret },
    ...{ stdin: "null", stdout: "piped", stderr: "inherit" },
  }).spawn();
}

/** The first line that svc prints; the rest is read and left. */
export async function started({ stdout }: Deno.ChildProcess): Promise<Started> {
  const reader = stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`svc start ended: ${text}`);
    text += value;
  }
  (async () => {
    while (!(await reader.read()).done);
  })();
  const first = JSON.parse(text.slice(0, text.indexOf("\n")));
  if (first.ok !== true) throw new Error(`svc start: ${first.error?.message}`);
  return first;
}
