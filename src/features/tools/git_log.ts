/** `git_log`: the newest commits, one line each. */
import { z } from "zod";
import { rfc3339 } from "svc/core/time.ts";
import { visible } from "svc/core/visible_text.ts";
import { anyPath } from "./path_arg.ts";
import { tool } from "./tool.ts";

const SHOWN = 20;
const MOST = 200;

export const gitLog = tool({
  name: "git_log",
  about: "Lists the newest commits: id, day, author, subject.",
  capability: "read",
  args: () =>
    z.strictObject({
      max: z.int().min(1).max(MOST).optional().describe(`Default ${SHOWN}`),
      path: anyPath("That changed this file or folder").optional(),
      ref: z.string().optional().describe("Branch, tag or commit to start at; default HEAD"),
    }),
  async run({ tree: { git } }, { max = SHOWN, path, ref }) {
    const commits = await git.log({
      max,
      ...(ref !== undefined && { ref }),
      ...(path !== undefined && path !== "." && { paths: [path] }),
    });
    const lines = commits.map(({ id, author, authored_at, subject }) =>
      visible(`${id.slice(0, 12)} ${rfc3339(authored_at).slice(0, 10)} ${author}: ${subject}`)
    );
    return {
      ok: true,
      text: lines.length === 0 ? "No commit" : lines.join("\n"),
      facts: { commits: commits.length },
      readOn: (shown) =>
        `Give ref ${commits[shown]?.id.slice(0, 12) ?? "HEAD"} to go on from there`,
    };
  },
});
