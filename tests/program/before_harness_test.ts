/** A run or a start that cannot begin leaves a repo without a harness as it was. */
import assert from "node:assert/strict";
import { HOST, runSite } from "tests/kit/run_site.ts";

Deno.test("what cannot begin commits no harness: each refusal names its way out, and the repo is as before", async () => {
  await using site = await runSite({ scenario: {}, harness: false });
  const { path } = site.repo;
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const busy = `127.0.0.1:${taken.addr.port}`;
  const model = ["--model-endpoint", site.model.url];
  const dead = ["--model-endpoint", "http://127.0.0.1:9/v1"];
  const head = await site.repo.git("rev-parse", "HEAD");
  const before = await site.state();
  const refusals: readonly [code: number, said: RegExp, ...args: string[]][] = [
    [2, /role "enginer"[\s\S]*try: .*engineer/, "run", "enginer", "--task", "x", ...model],
    [1, /ticket "T-9999"[\s\S]*try: svc tickets list/, "run", "qa", "--ticket", "T-9999", ...model],
    [1, /"nonsense"[\s\S]*try: /, "run", "qa", "--ticket", "nonsense", ...model],
    [1, /no ticket for "engineer"[\s\S]*try: svc tickets new/, "run", "engineer", ...model],
    [2, /abc[\s\S]*try: /, "run", "engineer", "--resume", "abc", ...model],
    [
      ...[2, /--db .*lies inside the repo[\s\S]*try: /] as const,
      ...["run", "engineer", "--task", "x", "--db", `${path}/svc.db`, ...model],
    ],
    [5, /127\.0\.0\.1:9\/v1[\s\S]*try: /, "run", "engineer", "--task", "x", ...dead],
    [2, /--db .*lies inside the repo[\s\S]*try: /, "start", "--db", `${path}/svc.db`, ...model],
    [5, /127\.0\.0\.1:9\/v1[\s\S]*try: .*--model-endpoint/, "start", ...dead],
    [6, /port is in use[\s\S]*try: .*--addr 127/, "start", "--addr", busy, ...model],
    [6, /port is in use[\s\S]*--dashboard-addr 127/, "start", "--dashboard-addr", busy, ...model],
  ];
  for (const [code, said, ...args] of refusals) {
    const ran = await site.svc(...args, ...HOST);
    assert.deepEqual([ran.code, said.test(ran.stderr)], [code, true], `${args}\n${ran.stderr}`);
    assert.equal(await site.repo.git("status", "--porcelain"), "", `${args}`);
  }
  assert.equal(await site.repo.git("rev-parse", "HEAD"), head);
  assert.equal(await site.state(), before);
  assert.deepEqual(site.model.requests, []);
});
