/** Which code host a merge may ask, and with whose token. Small, since it is loaded before a run starts. */
import type { Env } from "svc/platform/entrance.ts";

export interface CodeHostUrls {
  readonly api: string;
  pushUrl(remote: string): string;
}

export const GITHUB: CodeHostUrls = {
  api: "https://api.github.com",
  pushUrl: (remote) => `https://github.com/${remote}.git`,
};

export function tokenOfEnvironment(env: Pick<Env, "get">): string | undefined {
  return ["SVC_GITHUB_TOKEN", "GITHUB_TOKEN"].map((name) => env.get(name)?.trim())
    .find((value) => value);
}

export async function codeHostToken(
  { env, settings }: {
    readonly env: Pick<Env, "get">;
    settings(): Promise<{ readonly codehost_token?: string | undefined }>;
  },
): Promise<string | undefined> {
  return tokenOfEnvironment(env) ?? (await settings()).codehost_token;
}

/** `host:port` for settling this repo's merges; git pushes by itself, outside the Worker. */
export function hostsForMerge(
  manifest: { readonly dispatch: { readonly merge: string } } | undefined,
  remote: string | null | undefined,
  hasToken: boolean,
): readonly string[] {
  const asks = manifest?.dispatch.merge === "pull_request" && remote && hasToken;
  return asks ? [`${new URL(GITHUB.api).hostname}:443`] : [];
}
