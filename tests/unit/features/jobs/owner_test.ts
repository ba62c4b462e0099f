import assert from "node:assert/strict";
import { ownersLife, ownerText, parseOwner } from "svc/features/jobs/owner.ts";
import { lifeOf, type ProcessIdentity, selfIdentity } from "svc/platform/process/identity.ts";

Deno.test("an owner's text names host, boot, process and worker", () => {
  const other: ProcessIdentity = { host: "my/host:4026", boot: "b-1", pid: 7, start: "99" };
  assert.equal(ownerText(other, "w 1"), "my%2Fhost%3A4026/b-1/7/99/w%201");
  assert.deepEqual(parseOwner(ownerText(other, "w 1")), other);
  for (const text of ["", "w", "a/b/c/d/e", "a/b/1/d", "a/b/1/d/e/f", "%/b/1/2/e", "a/b/1/2/"]) {
    assert.equal(parseOwner(text), undefined, text);
  }
});

Deno.test("an owner lives as long as its process, not as long as its pid", async () => {
  const self = selfIdentity();
  const life = (other: Partial<ProcessIdentity>) =>
    ownersLife({ life: (other) => Promise.resolve(lifeOf(self, other)) })(
      ownerText({ ...self, ...other }, "w1"),
    );
  assert.equal(await life({}), "alive");
  assert.equal(await life({ start: "1" }), "dead");
  assert.equal(await life({ boot: "another" }), "dead");
  assert.equal(await life({ host: "another" }), "unknown");
  assert.equal(await life({ boot: "" }), "unknown");
  assert.equal(
    await ownersLife({ life: (other) => Promise.resolve(lifeOf(self, other)) })("nonsense"),
    "unknown",
  );
});

Deno.test("a process that was killed is dead", async () => {
  const self = selfIdentity();
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  const stat = await Deno.readTextFile(`/proc/${child.pid}/stat`);
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
  const owner = ownerText({ ...self, pid: child.pid, start }, "w1");
  const life = ownersLife({ life: (other) => Promise.resolve(lifeOf(self, other)) });
  assert.equal(await life(owner), "alive");
  child.kill("SIGKILL");
  await child.status;
  assert.equal(await life(owner), "dead");
});
