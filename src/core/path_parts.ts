/** The parts of a path with `/`, by its text alone. */
import { withoutEnding } from "./text_ends.ts";

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Leaves room for `-` and a repo's id of 12 digits in a name of 255 bytes, the most that Linux takes. */
const BEFORE_ID_BYTES = 242;

/** What svc calls a folder of its own that belongs to the repo at `root`: its name, or the begin of a long one. */
export function namedAfter(root: string, maxBytes = BEFORE_ID_BYTES): string {
  const bytes = new TextEncoder().encode(nameOf(root) || "root");
  return withoutEnding(new TextDecoder().decode(bytes.subarray(0, maxBytes)), "\uFFFD");
}

/** That of its database, where no other repo has it. */
export const databaseFolder = (root: string): string => namedAfter(root, 200);

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function stemOf(path: string): string {
  return nameOf(path).replace(/(?<=.)\.[^.]*$/, "");
}

/** Undefined when `target` leads above the root. */
export function joinPath(folder: string, target: string): string | undefined {
  const parts = folder.split("/").filter((part) => part !== "");
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
