/** Which code host a merge may ask, and with whose token; small, for a confined run asks before it starts. */

export interface CodeHostUrls {
  /** Base address of the API: `https://…`, or `http://` on loopback. */
  readonly api: string;
  /** Where branches of `owner/repo` are pushed to. */
  pushUrl(remote: string): string;
}

export const GITHUB: CodeHostUrls = {
  api: "https://api.github.com",
  pushUrl: (remote) => `https://github.com/${remote}.git`,
};

interface Env {
  get(name: string): string | undefined;
}

export function tokenOfEnvironment(env: Env): string | undefined {
  return ["SVC_GITHUB_TOKEN", "GITHUB_TOKEN"].map((name) => env.get(name)?.trim())
    .find((value) => value);
}

/** Of the environment, else of the user's own settings. */
export async function codeHostToken(
  { env, settings }: {
    readonly env: Env;
    settings(): Promise<{ readonly codehost_token?: string | undefined }>;
  },
): Promise<string | undefined> {
  return tokenOfEnvironment(env) ?? (await settings()).codehost_token;
}

/** `host:port` that settling merges of this repo asks; pushing is done by git, outside the Worker. */
export function hostsForMerge(
  manifest: { readonly dispatch: { readonly merge: string } } | undefined,
  remote: string | null | undefined,
  hasToken: boolean,
): readonly string[] {
  const asks = manifest?.dispatch.merge === "pull_request" && remote && hasToken;
  return asks ? [`${new URL(GITHUB.api).hostname}:443`] : [];
}
