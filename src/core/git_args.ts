/** Refuses values that git would read as something other than the ref, path, key or id they stand for. */
import { Failure } from "./failure.ts";

// deno-lint-ignore no-control-regex -- control bytes are what is refused here
const CONTROL = /[\x00-\x1f\x7f]/;

const WANTED = {
  "ref": "Give a branch, a tag or the id of a commit, such as main or HEAD~2",
  "path": "Give a path below the repo's root, such as src/main.ts",
  "config key": "Give a key such as remote.origin.url",
  "object id": "Give the whole id of an object, in small letters",
} as const;
type GitValue = keyof typeof WANTED;

function refuse(what: GitValue, value: string, why: string): never {
  throw new Failure("usage", `Cannot use ${JSON.stringify(value)} as a git ${what}: ${why}`, {
    remedy: WANTED[what],
  });
}

function refuseAnywhere(what: GitValue, value: string): void {
  if (value === "") refuse(what, value, "it is empty");
  if (value.startsWith("-")) refuse(what, value, "git would read it as an option");
  if (CONTROL.test(value)) refuse(what, value, "it holds a control character");
  if (value.includes("ext::")) refuse(what, value, "it names a transport");
}

/** A branch, tag, id or `HEAD~2`: no range, reflog, `rev:path` or URL. @throws Failure `usage` */
export function gitRef(value: string): string {
  refuseAnywhere("ref", value);
  if (value.includes("..")) refuse("ref", value, 'it holds ".."');
  if (value.includes("@{")) refuse("ref", value, 'it holds "@{"');
  if (/[\s:?*[\\]/.test(value)) refuse("ref", value, 'it holds a space or one of ":?*[\\"');
  if (value.startsWith("^")) refuse("ref", value, "git would read it as an exclusion");
  return value;
}

/** Below the repo's root, `/` between its parts, no wildcards. @throws Failure `usage` */
export function gitPath(value: string): string {
  refuseAnywhere("path", value);
  if (value.startsWith("/")) refuse("path", value, "it is absolute");
  if (value.split("/").includes("..")) refuse("path", value, 'it holds ".."');
  return value;
}

/** A name such as "-x" is never put on a command line. */
export function isGitPath(value: string): boolean {
  try {
    return gitPath(value) === value;
  } catch {
    return false;
  }
}

/** Such as `remote.origin.url`. @throws Failure `usage` */
export function gitKey(value: string): string {
  refuseAnywhere("config key", value);
  if (!/^[a-z][a-z0-9-]*\.(.+\.)?[a-z][a-z0-9-]*$/i.test(value)) {
    refuse("config key", value, 'it is not of the form "section.name" or "section.part.name"');
  }
  return value;
}

export const isObjectId = (value: string) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value);

/** @throws Failure `usage` */
export function gitObjectId(value: string): string {
  if (!isObjectId(value)) refuse("object id", value, "it is not one");
  return value;
}
