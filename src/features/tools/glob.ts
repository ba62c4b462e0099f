/** The tool that finds files by name. */
import { z } from "zod";
import { pathGlob } from "svc/core/glob.ts";
import { visible } from "svc/core/visible_text.ts";
import { tool } from "./tool.ts";

const GLOB_PATHS = 500;

export const glob = tool({
  name: "glob",
  about: "Finds files by name, without what git ignores.",
  capability: "read",
  args: () =>
    z.strictObject({
      pattern: z.string().min(1).max(1000)
        .describe('Such as "src/**/*.{ts,tsx}"; without a slash it fits in any folder'),
    }),
  async run({ tree: { git } }, { pattern }) {
    const fits = pathGlob(pattern);
    const found = (await git.listFiles()).paths.filter(fits).sort();
    if (found.length === 0) return { ok: true, text: "No file fits", facts: { files: 0 } };
    const more = found.length - GLOB_PATHS;
    return {
      ok: true,
      text: [
        ...found.slice(0, GLOB_PATHS).map(visible),
        ...(more > 0 ? [`[${more} more fit; use a narrower pattern]`] : []),
      ].join("\n"),
      readOn: () => "Use a narrower pattern",
      facts: { files: found.length },
    };
  },
});
