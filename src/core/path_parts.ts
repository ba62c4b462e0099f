/** The parts of a path with `/`, by its text alone. */

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

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
