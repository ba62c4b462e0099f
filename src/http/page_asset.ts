/** Sends a file of the pages: in a coding that the client takes, and not at all when it has it already. */
import { sha256 } from "svc/core/digest.ts";
import { type HttpAnswer, RawContent } from "./answer.ts";
import type { RouteCall } from "./route.ts";

/** Smallest first, as far as compressors for the web go. */
export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];

export interface PageAsset {
  readonly bytes: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** The same bytes, compressed when svc was built. */
  readonly coded?: Readonly<Partial<Record<Coding, Uint8Array<ArrayBuffer>>>>;
}

/** Browsers check for a new version each time: an update must not meet old pages. */
const FRESH = { "cache-control": "no-cache", vary: "Accept-Encoding" };

/** Hashed when first asked for. */
const tags = new WeakMap<PageAsset, Promise<string>>();

const encoder = new TextEncoder();

function tagOf(asset: PageAsset): Promise<string> {
  const known = tags.get(asset);
  if (known !== undefined) return known;
  const { bytes } = asset;
  const made = sha256(typeof bytes === "string" ? encoder.encode(bytes) : bytes)
    .then((digest) => digest.slice(0, 32));
  tags.set(asset, made);
  return made;
}

export async function sentAsset(
  asset: PageAsset,
  header: RouteCall["header"],
): Promise<HttpAnswer> {
  const { bytes, type, coded = {} } = asset;
  const coding = acceptedCoding(header("accept-encoding"), CODINGS.filter((one) => coded[one]));
  // A strong tag names bytes, and each coding has its own (RFC 9110, section 8.8.3.3).
  const etag = `"${await tagOf(asset)}${coding === undefined ? "" : `-${coding}`}"`;
  const headers = { ...FRESH, etag };
  // The headers that section 15.4.5 requires; length and type of the body, which is not sent, are left out.
  if (isKnown(header("if-none-match"), etag)) return { status: 304, headers };
  if (coding === undefined) return { status: 200, body: new RawContent(type, bytes), headers };
  const body = new RawContent(type, coded[coding]!);
  return { status: 200, body, headers: { ...headers, "content-encoding": coding } };
}

/** `coding;q=0.5`; `x-gzip` is another name of gzip (RFC 9110, sections 8.4.1.3 and 12.5.3). */
const WEIGHTED = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * The coding that the client wants most; of equals the first that there is. Undefined for none: plain
 * bytes are sent to a client that refuses those too, since the contract knows no 406 and section 12.4.1
 * allows it.
 */
export function acceptedCoding<C extends string>(
  header: string | null,
  there: readonly C[],
): C | undefined {
  const weights = new Map<string, number>();
  for (const item of (header ?? "").split(",")) {
    const [, name, weight = "1"] = WEIGHTED.exec(item.trim()) ?? [];
    if (name === undefined) continue; // malformed, or empty
    weights.set(name.toLowerCase().replace(/^x-gzip$/, "gzip"), Number(weight));
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  // Plain bytes are liked less than what is named, unless they are named too.
  let [best, most] = [undefined as C | undefined, weights.get("identity") ?? 0];
  for (const coding of there) {
    const weight = weightOf(coding);
    // Ties go to the coding against plain bytes, and to the first among codings.
    if (weight > most || (best === undefined && weight > 0 && weight === most)) {
      [best, most] = [coding, weight];
    }
  }
  return best;
}

/** Entity tags, each of which may be weak (RFC 9110, section 8.8.3). */
const TAGS = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Compares weakly, as `If-None-Match` wants (section 13.1.2): proxies that compress make tags weak. */
export function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  // What is no list of tags is ignored, and the file is sent.
  if (/[^, \t]/.test(header.replaceAll(TAGS, ""))) return false;
  return [...header.matchAll(TAGS)].some(([, opaque]) => opaque === etag);
}
