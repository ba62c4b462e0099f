/** What to do about a registered repo whose folder is gone. Pure. */
import { shellWord } from "svc/core/shell_word.ts";

export const goneWays = (root: string) =>
  "the folder is gone (after a move: svc register --repo <its place>; for good: " +
  `svc eject --repo ${shellWord(root)})`;
