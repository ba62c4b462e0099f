import assert from "node:assert/strict";
import { authorityOf, ownHosts, trustedOrigin } from "svc/http/own_hosts.ts";
import { queryOf, takenQuery } from "svc/http/query.ts";

Deno.test("ownHosts names the bound address, and leaves out the port that browsers leave out", () => {
  assert.deepEqual(ownHosts({ host: "127.0.0.1", port: 9091 }), [
    ...["127.0.0.1:9091", "localhost:9091"],
  ]);
  assert.deepEqual(ownHosts({ host: "::1", port: 9091 }), ["[::1]:9091", "localhost:9091"]);
  assert.deepEqual(ownHosts({ host: "127.0.0.1", port: 80 }), [
    ...["127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"],
  ]);
});

Deno.test("trustedOrigin takes an origin as browsers spell it", () => {
  for (const origin of ["https://svc.example.com", "https://svc:8443", "https://[2001:db8::1]"]) {
    assert.equal(trustedOrigin(origin), origin);
  }
  assert.equal(authorityOf("https://svc.example.com:8443"), "svc.example.com:8443");
  assert.throws(() => trustedOrigin("https://svc.example.com/"), {
    ...{ code: "usage", remedy: /without a path/ },
  });
});

Deno.test("takenQuery takes each declared parameter once, decoded", () => {
  const kind = { repo_id: "needed", id: "optional" } as const;
  assert.deepEqual(takenQuery("repo_id=a%20b+c&id=%C3%A9", kind), { repo_id: "a b c", id: "é" });
  assert.deepEqual(takenQuery("repo_id==", kind), { repo_id: "=" });
  for (
    const query of [
      ...["", "id=1", "repo_id=", "repo_id=1&repo_id=2", "repo_id=1&x=1", "repo_id=1&", "repo_id"],
      ...["repo_id=%", "repo_id=%ff", "repo%5fid=1", "REPO_ID=1", "repo_id=1&toString=1", "=1"],
    ]
  ) assert.equal(takenQuery(query, kind), undefined, query);
  assert.deepEqual(takenQuery("", {}), {});
  assert.equal(takenQuery("x=1", {}), undefined);
  assert.deepEqual(takenQuery("x=1&x=2", undefined), {});
  assert.match(queryOf(kind), /"repo_id" \(needed\), "id" \(optional\)/);
  assert.match(queryOf({}), /no query/);
});
