/** Whether to style: on a terminal, unless the user or the place says no. */
import type { Env, Sink } from "svc/platform/entrance.ts";

/** NO_COLOR (https://no-color.org), CI and TERM=dumb switch styling off. */
export function styledOn(sink: Sink, env: Env): boolean {
  const set = (name: string) => (env.get(name) ?? "") !== "";
  return sink.terminal && !set("NO_COLOR") && !set("CI") && env.get("TERM") !== "dumb";
}
