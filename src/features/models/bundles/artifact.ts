/** Files that svc may fetch: bundles of models and builds of their server, each named for good. */
import { withoutEnding } from "svc/core/text_ends.ts";
import type { Bundle, Identity, Registry, Server } from "svc/features/models/choose/registry.ts";

/** One file of the download plan (spec section 4.5, behaviour rule 1). */
export interface Artifact {
  /** Id of a bundle, or `llama-server`. */
  readonly bundle: string;
  readonly identity: Omit<Identity, "bytes">;
  readonly bytes: number;
  readonly license: { readonly id: string; readonly url: string };
  readonly terms_url: string;
  readonly notice_url: string;
  readonly url: string;
}

/** A model's file is asked of this host, or of the mirror that the user's config names. */
const MODELS_ORIGIN = "https://huggingface.co";
const BUILDS_ORIGIN = "https://github.com";

export const SERVER_ARTIFACT = "llama-server";

const originOf = (mirror: string | undefined, origin: string) =>
  mirror === undefined ? origin : withoutEnding(mirror, "/");

const without = ({ bytes: _, ...identity }: Identity) => identity;

/** Hugging Face serves a file of a commit at `/resolve/` (huggingface.co/docs/xet/file-id). */
export function modelArtifact(bundle: Bundle, mirror?: string): Artifact {
  const { id, artifact, license, terms_url, notice_url } = bundle;
  const { repo, revision, file, bytes } = artifact;
  const url = `${originOf(mirror, MODELS_ORIGIN)}/${repo}/resolve/${revision}/${file}`;
  return { bundle: id, identity: without(artifact), bytes, license, terms_url, notice_url, url };
}

export function serverArtifact(server: Server, mirror?: string): Artifact {
  const { artifact, license, terms_url, notice_url } = server;
  const { repo, revision, file, bytes } = artifact;
  const origin = originOf(mirror, BUILDS_ORIGIN);
  return {
    bundle: SERVER_ARTIFACT,
    identity: without(artifact),
    bytes,
    license,
    terms_url,
    notice_url,
    url: `${origin}/${repo}/releases/download/${revision}/${file}`,
  };
}

/** By bundle, repo and file in the order of code points, which no locale changes. */
export function sorted<A extends Pick<Artifact, "bundle" | "identity">>(
  artifacts: readonly A[],
): A[] {
  const key = ({ bundle, identity: { repo, file } }: A) => `${bundle}\0${repo}\0${file}`;
  return artifacts.toSorted((one, other) => {
    const [a, b] = [key(one), key(other)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

export function bundleNamed(id: string, { bundles }: Pick<Registry, "bundles">): Bundle {
  return bundles.find((bundle) => bundle.id === id)!;
}
