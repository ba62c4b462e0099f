/** A person's own pull of what was squashed, by git itself. */
import assert from "node:assert/strict";
import { listTickets, openTicket } from "svc/features/tickets/ticket_list.ts";
import { createTickets, moveTicket } from "svc/features/tickets/tickets.ts";
import { refusal } from "tests/kit/refusal.ts";
import { mergeOnHost } from "tests/kit/merge_on_host.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

const BY = { actor: "test" };
const OLD = "docs/tickets/in-progress/T-0001-one.md";

/** T-0001 is in review here, and came back as it was when its branch began. */
async function pulledRepo(): Promise<TempRepo> {
  await using bare = await tempFolder();
  await plainGit(bare.path, ["init", "--quiet", "--bare", "."]);
  const repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await repo.git("push", "--quiet", bare.path, "main");
  using checkout = await checkoutAt(repo.path);
  await createTickets(checkout, [draft("One")], BY);
  await moveTicket(checkout, "T-0001", { to: "in-progress", ...BY });
  await repo.git("branch", "svc/T-0001");
  await repo.git("push", "--quiet", bare.path, "svc/T-0001");
  await moveTicket(checkout, "T-0001", { to: "review", ...BY });
  await mergeOnHost(bare.path, { branch: "svc/T-0001", into: "main", way: "squash" });
  await repo.git("pull", "--quiet", "--no-rebase", bare.path, "main");
  assert.match(await repo.git("ls-files"), /in-progress\/T-0001[^]*review\/T-0001/);
  return repo;
}

Deno.test("the ticket counts, and its older copy is told of with what to do", async () => {
  await using repo = await pulledRepo();
  using checkout = await checkoutAt(repo.path);
  const { tickets, broken } = await listTickets(checkout);
  assert.deepEqual(tickets.map(({ id, state }) => `${id} ${state}`), ["T-0001 review"]);
  assert.deepEqual(broken.map(({ path }) => path), [OLD]);
  assert.match(broken[0]!.reason, /it is an older copy of "docs\/tickets\/review\/T-0001-one\.md"/);
  assert.match(broken[0]!.remedy, /git rm docs\/tickets\/in-progress\/T-0001-one\.md/);
  assert.equal((await openTicket(checkout, "T-0001")).ticket.state, "review");
  await moveTicket(checkout, "T-0001", { to: "done", ...BY });
  assert.equal((await openTicket(checkout, "T-0001")).ticket.state, "done");
  await repo.git("rm", "--quiet", OLD);
  assert.deepEqual((await listTickets(checkout)).broken, []);
});

Deno.test("files that went on apart are both refused: neither is older", async () => {
  await using repo = await pulledRepo();
  using checkout = await checkoutAt(repo.path);
  const text = await repo.read(OLD);
  await repo.write(OLD, `${text}- 2026-01-02T03:04:05Z · ada · went another way · no commit\n`);
  assert.deepEqual((await listTickets(checkout)).tickets, []);
  await assert.rejects(
    openTicket(checkout, "T-0001"),
    refusal("environment", /has the same id/),
  );
});
