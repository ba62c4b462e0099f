/** `GET /api/ticket-templates`: what a new ticket of a repo can begin with. */
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import { ticketTemplates } from "svc/features/tickets/ticket_templates.ts";
import { dashboardRead, UNKNOWN_REPO } from "./read.ts";
import type { ShapeOf, Z } from "./shape.ts";

const templatesShape = (z: Z) =>
  z.strictObject({
    templates: z.array(z.strictObject({
      name: z.string(),
      about: z.string(),
      title: z.string(),
      type: z.enum(TICKET_TYPES),
      priority: z.enum(PRIORITIES),
      role: z.string(),
      acceptance: z.array(z.string()),
      /** Context, to be filled in. */
      text: z.string(),
      /** Null for svc's own. */
      path: z.string().nullable(),
    })),
    broken: z.array(
      z.strictObject({ path: z.string(), reason: z.string(), remedy: z.string() }),
    ),
  });
export type TicketTemplates = ShapeOf<typeof templatesShape>;

export const ticketTemplatesRead = dashboardRead({
  name: "ticket-templates",
  about: "What a new ticket can begin with: the templates of the repo, and svc's own.",
  query: { repo_id: "needed" },
  shape: templatesShape,
  missing: UNKNOWN_REPO,
  async read({ ports, scope }, { repo_id }): Promise<TicketTemplates | undefined> {
    const row = scope.repos.find(({ id }) => id === repo_id);
    if (row === undefined) return undefined;
    using folder = await ports.folder(row.path);
    const { templates, broken } = await ticketTemplates({ folder });
    return {
      templates: templates.map((one) => ({
        ...one,
        title: one.title ?? "",
        acceptance: [...one.acceptance],
        path: one.path ?? null,
      })),
      broken: [...broken],
    };
  },
});
