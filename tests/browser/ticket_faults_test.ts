/** What the page of tickets cannot show is said: a repo that cannot be read, and files that are no tickets. */
import assert from "node:assert/strict";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";
import { HARBOR } from "tests/kit/browser_facts.ts";
import { ticketShelf } from "tests/kit/browser_tickets.ts";
import type { Tickets } from "svc/runtime/views/tickets_view.ts";

const UNREAD = { repo_id: "r-quay", repo: "quay", reason: 'Cannot open "/work/quay": it is gone' };

const broken = (nth: number) => ({
  ...{ repo_id: HARBOR.repo_id, repo: HARBOR.repo, id: null },
  path: `docs/tickets/backlog/T-${nth}.md`,
  ...{ reason: `Cannot read "T-${nth}.md": it has no title`, remedy: "Add one" },
});

/** A shelf whose answers also tell of what cannot be read. */
function faultyShelf(
  given: Parameters<typeof ticketShelf>[0],
  faults: Partial<Pick<Tickets, "broken" | "broken_total" | "unread">>,
) {
  const shelf = ticketShelf(given);
  const tickets: typeof shelf.reads.tickets = async (query) => {
    const answer = await shelf.reads.tickets(query);
    return answer && { ...answer, ...faults };
  };
  return { ...shelf, reads: { ...shelf.reads, tickets } };
}

Deno.test("a repo whose tickets cannot be read is not told as one that has none", async () => {
  const shelf = faultyShelf([], { unread: [UNREAD] });
  await seeing({ wish: { shelf }, options: { viewport: PHONE } }, async ({ page, site }) => {
    await logIn(page, site.url, "/tickets");
    const said = await page.getByRole("alert").filter({ hasText: "quay" }).innerText();
    assert.equal(said, `The tickets of quay are not shown: ${UNREAD.reason}`);
    assert.equal(await page.getByText("There is no ticket yet").count(), 0);
  });
});

Deno.test("tickets of one repo are shown beside the fault of another, on the board and in the list", async () => {
  const shelf = faultyShelf([{ title: "Mend the pump" }], { unread: [UNREAD] });
  await seeing({ wish: { shelf } }, async ({ page, site }) => {
    await logIn(page, site.url, "/tickets");
    for (const view of ["Board", "List"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.getByRole("link", { name: "Mend the pump" }).waitFor();
      await page.getByRole("alert").filter({ hasText: UNREAD.reason }).waitFor();
    }
  });
});

Deno.test("files that cannot be read are counted whole, also where no other file is a ticket", async () => {
  const shelf = faultyShelf([], { broken: [broken(7), broken(8)], broken_total: 1_200 });
  await seeing({ wish: { shelf } }, async ({ page, site }) => {
    await logIn(page, site.url, "/tickets");
    await page.getByText("1200 files cannot be read as a ticket").click();
    await page.getByText('Cannot read "T-8.md": it has no title. Add one').waitFor();
    await page.getByText("And 1198 more").waitFor();
    assert.equal(await page.getByText("There is no ticket yet").count(), 0);
  });
});
