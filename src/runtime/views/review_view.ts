/** `GET /api/review`: the work of a ticket in review, with the commit that an approval has to name. */
import { Failure } from "svc/core/failure.ts";
import { reviewWork } from "svc/runtime/inbox/review_work.ts";
import { isTicketId } from "./outside_ids.ts";
import { dashboardRead, NoLongerThere } from "./read.ts";
import type { ShapeOf, Z } from "./shape.ts";
import { UNINTERRUPTED } from "./view_ports.ts";

const reviewShape = (z: Z) =>
  z.strictObject({
    ticket_id: z.string(),
    branch: z.string(),
    into: z.string(),
    commit: z.string(),
    diff: z.string(),
    diff_cut: z.boolean(),
    /** What svc saw of the checks on this very commit. */
    checks: z.string().nullable(),
    /** What the role said that did the work. */
    said: z.string().nullable(),
  });
export type Review = ShapeOf<typeof reviewShape>;

export const reviewRead = dashboardRead({
  name: "review",
  about: "The work of a ticket in review: its commit and its diff.",
  query: { repo_id: "needed", ticket_id: "needed" },
  shape: reviewShape,
  missing: { status: 404, error: "no such ticket" },
  async read({ ports, scope, opener }, { repo_id, ticket_id }): Promise<Review | undefined> {
    const row = scope.repos.find(({ id }) => id === repo_id);
    if (row === undefined || !isTicketId(ticket_id)) return undefined;
    using repo = await opener.open(row, { signal: UNINTERRUPTED });
    try {
      const work = await reviewWork(ports, repo, ticket_id);
      const { branch, into, commit, diff, checks = null, said = null } = work;
      return { ticket_id, branch, into, commit, diff: diff.text, diff_cut: diff.cut, checks, said };
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      if (code === "not_found") return undefined;
      if (code === "conflict") throw new NoLongerThere(message);
      throw thrown;
    }
  },
});
