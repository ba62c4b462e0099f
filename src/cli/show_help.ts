/** Prints help, and tells a mistyped command from a known one. */
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { VERSION } from "svc/core/version.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { helpText } from "./help.ts";
import { styledOn } from "./style.ts";
import { aliasesOf, children, type Found, type Tree } from "./tree.ts";

export function showHelp(entrance: Entrance, tree: Tree, path: string): void {
  entrance.stdout.write(helpText(tree, path, {
    version: VERSION,
    styled: styledOn(entrance.stdout, entrance.env),
    columns: Math.min(100, entrance.stdout.columns() ?? 100),
  }));
}

/** The failure for a word that names nothing below `found.path`. */
export function unknownCommand(tree: Tree, { path, rest }: Found): Failure {
  const typed = rest[0] ?? "";
  const prefix = path === "" ? "" : `${path} `;
  const below = [
    ...children(tree, path).keys(),
    ...[...aliasesOf(tree).keys()]
      .filter((alias) => alias.startsWith(prefix))
      .map((alias) => alias.slice(prefix.length).split(" ")[0]!),
  ];
  const kind = typed.startsWith("-") ? "flag" : "command";
  const hint = didYouMean(typed, below);
  const remedy = ["svc", path, "--help"].filter((word) => word !== "").join(" ");
  return new Failure("usage", `Cannot run "svc ${prefix}${typed}": unknown ${kind} "${typed}"`, {
    remedy: hint === "" ? remedy : `${hint} See: ${remedy}`,
  });
}
