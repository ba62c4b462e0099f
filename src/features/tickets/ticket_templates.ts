/** Templates of new tickets: svc's own, and a repo's in `.harness/ticket-templates`, which come first. */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { bodySections } from "./body_sections.ts";
import { findFront } from "./front_matter.ts";
import { TicketFault } from "./ticket_fault.ts";
import { PRIORITIES, TICKET_TYPES } from "./ticket_names.ts";

export const TEMPLATES = ".harness/ticket-templates";

/** A template is a page that a person fills in. */
const TEMPLATE_BYTES = 64 * 1024;

const TEXT = z.string("must be text").min(1, "must not be empty");
const TemplateFront = z.strictObject({
  about: TEXT,
  title: TEXT.optional(),
  type: z.enum(TICKET_TYPES).default("feature"),
  priority: z.enum(PRIORITIES).default("p2"),
  role: TEXT.default("engineer"),
  acceptance: z.array(TEXT).default([]),
});
const KEYS = Object.keys(TemplateFront.shape);

export interface TicketTemplate extends z.infer<typeof TemplateFront> {
  readonly name: string;
  /** Context of the ticket, to be filled in. */
  readonly text: string;
  /** File below the repo's root; undefined for svc's own. */
  readonly path: string | undefined;
}

export interface BrokenTemplate {
  readonly path: string;
  readonly reason: string;
  readonly remedy: string;
}

const OWN: readonly TicketTemplate[] = [
  {
    name: "bug",
    about: "Something does not do what it should",
    type: "bug",
    priority: "p1",
    role: "engineer",
    acceptance: ["A test fails without the fix and passes with it"],
    text: "**What happens:**\n\n**What should happen:**\n\n**How to see it:**\n\n1. \n",
    path: undefined,
  },
  {
    name: "feature",
    about: "Something new that somebody can do",
    type: "feature",
    priority: "p2",
    role: "engineer",
    acceptance: ["A test shows it", "The documentation says it"],
    text: "**Who wants to do what, and why:**\n\n**What is not part of it:**\n",
    path: undefined,
  },
  {
    name: "chore",
    about: "Work that nobody outside sees",
    type: "debt",
    priority: "p3",
    role: "engineer",
    acceptance: ["All checks pass as before"],
    text: "**What is in the way:**\n\n**What is to be changed:**\n",
    path: undefined,
  },
];

const NAME = /^([a-z0-9][a-z0-9-]{0,39})\.md$/;

/** @throws Failure `environment` that names line, column and key */
function templateIn(bytes: Uint8Array, path: string): Omit<TicketTemplate, "name" | "path"> {
  const front = findFront(bytes);
  const cannot = (why: string) =>
    new Failure("environment", `Cannot read ${quoted(path)} (line 1, column 1): ${why}`, {
      remedy: `Edit ${path}: keys between two lines "---", then the text. Allowed keys: ${
        KEYS.join(", ")
      }`,
    });
  if (typeof front === "string") throw cannot('it does not begin with keys between lines "---"');
  const text = decoded(bytes);
  if (text === undefined) throw cannot("it is not UTF-8");
  const keys = decoded(bytes.subarray(front.start, front.end))!;
  const fields = readYaml({ text: `---\n${keys}`, path, allowed: () => KEYS }, TemplateFront);
  const body = decoded(bytes.subarray(front.body))!.replaceAll("\r\n", "\n").trim();
  const [section] = bodySections(body);
  if (section !== undefined) {
    throw cannot(`${quoted(section.heading)} is a heading: a ticket has its own ones`);
  }
  return { ...fields, text: body };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // as `templateIn` says
  }
}

/** A template that cannot be read is reported, and still replaces svc's own template of the same name. */
export async function ticketTemplates(
  { folder }: Pick<Checkout, "folder">,
): Promise<{ readonly templates: readonly TicketTemplate[]; readonly broken: BrokenTemplate[] }> {
  const templates = new Map(OWN.map((one) => [one.name, one]));
  const broken: BrokenTemplate[] = [];
  if ((await folder.stat(TEMPLATES))?.kind !== "folder") {
    return { templates: [...templates.values()], broken };
  }
  for (const { name: file } of (await folder.list(TEMPLATES)).entries) {
    if (!file.endsWith(".md") || /^(?:readme\.|\.)/i.test(file)) continue;
    const path = `${TEMPLATES}/${file}`;
    const name = NAME.exec(file)?.[1];
    templates.delete(name ?? "");
    try {
      if (name === undefined) {
        throw new Failure("environment", `Cannot read ${quoted(path)}: its name is not plain`, {
          remedy: "Name it with small letters, digits and hyphens, such as bug-report.md",
        });
      }
      const { bytes, truncated } = await folder.read(path, { maxBytes: TEMPLATE_BYTES });
      if (truncated) {
        throw new Failure("environment", `Cannot read ${quoted(path)}: it is too long`, {
          remedy: `Shorten it to ${TEMPLATE_BYTES} bytes`,
        });
      }
      templates.set(name, { name, path, ...templateIn(bytes, path) });
    } catch (thrown) {
      const { code, message, remedy } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      broken.push({ path, reason: message, remedy });
    }
  }
  return { templates: [...templates.values()].sort((a, b) => a.name < b.name ? -1 : 1), broken };
}

/** @throws Failure `not_found` with the nearest names; TicketFault where it cannot be read */
export async function ticketTemplate(
  checkout: Pick<Checkout, "folder">,
  name: string,
): Promise<TicketTemplate> {
  const { templates, broken } = await ticketTemplates(checkout);
  const found = templates.find((one) => one.name === name);
  if (found !== undefined) return found;
  const fault = broken.find(({ path }) => path === `${TEMPLATES}/${name}.md`);
  if (fault !== undefined) throw new TicketFault(fault.reason, fault.remedy);
  const names = templates.map((one) => one.name);
  throw new Failure("not_found", `Cannot find a ticket template ${quoted(name)}`, {
    remedy: `${didYouMean(name, names)} There are: ${names.join(", ")}`.trim(),
  });
}
