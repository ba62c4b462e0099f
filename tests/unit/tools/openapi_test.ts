import assert from "node:assert/strict";
import { OPERATIONS } from "svc/http/api.ts";
import { apiPage } from "tools/api_page.ts";
import { openApi } from "tools/openapi.ts";

Deno.test("the API's documents name each operation, its access and its answers", () => {
  const document = JSON.parse(openApi("1.2.3"));
  const page = apiPage();
  assert.equal(document.info.version, "1.2.3");
  for (const [name, { access }] of Object.entries(OPERATIONS)) {
    const [method, path] = name.split(" ");
    const { responses, security, operationId } = document.paths[path!][method!.toLowerCase()];
    assert.match(operationId, /^[a-z_]+$/);
    assert.ok(responses["200"].content && responses["400"] && responses["405"], name);
    assert.ok(responses["401"], `${name}: no session, a wrong secret, or none through the proxy`);
    assert.equal(security.length > 0, access !== "open", name);
    assert.ok(page.includes(`\n## ${name}\n`), name);
  }
  for (const path of Object.values<Record<string, unknown>>(document.paths)) {
    assert.equal("head" in path, "get" in path);
  }
  const schemas = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)];
  assert.deepEqual([...new Set(schemas.map(([, ref]) => ref))], ["#/components/schemas/Error"]);
  assert.doesNotMatch(page, /: unknown;|undefined|\[object/);
});
