/** Writes `docs/QUALITY_SCORE.md` and, on request, the improvement tickets. */
import { bytesOf, byteText } from "svc/core/marked_block.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import { debtOf } from "./debt.ts";
import { type Quality, qualityPage } from "./quality_page.ts";
import { type OldPage, QUALITY_PATH } from "./read_quality.ts";

type PageChange = "added" | "updated" | "unchanged";

/** Commits nothing. @throws Failure `conflict` for a page that changed meanwhile */
export async function writeQuality(
  folder: Pick<Folder, "makeFolder" | "write">,
  quality: Quality,
  { old: { content, notes }, dryRun }: { readonly old: OldPage; readonly dryRun: boolean },
): Promise<PageChange> {
  const page = qualityPage(quality, notes);
  if (content !== undefined && byteText(content.bytes) === page) return "unchanged";
  if (!dryRun) {
    if (content === undefined) await folder.makeFolder("docs");
    await folder.write(QUALITY_PATH, bytesOf(page), { expected: content ?? null });
  }
  return content === undefined ? "added" : "updated";
}

interface WrittenDebt {
  readonly created: readonly {
    readonly id: string;
    readonly path: string;
    readonly title: string;
    readonly priority: string;
    readonly source: string;
  }[];
  readonly deduplicated: number;
  readonly commit?: string;
}

/** Writes all tickets in one commit. @throws Failure of the ticket lifecycle, such as `conflict` during a merge */
export async function writeDebt(
  checkout: Checkout,
  quality: Quality,
  { dryRun }: { readonly dryRun: boolean },
): Promise<WrittenDebt> {
  const drafts = debtOf(quality);
  if (drafts.length === 0) return { created: [], deduplicated: 0 };
  const { created, deduplicated, commit } = await createTickets(checkout, drafts, {
    actor: "scores",
    dryRun,
  });
  return {
    created: created.map(({ id, path, title, priority, source }) => ({
      id,
      path,
      title,
      priority,
      source,
    })),
    deduplicated: deduplicated.length,
    ...(commit !== undefined && { commit }),
  };
}
