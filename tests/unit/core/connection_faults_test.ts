import assert from "node:assert/strict";
import { causesOf, connectionFault, unreached } from "svc/core/connection_faults.ts";

const thrown = (said: string) =>
  new TypeError("fetch failed", {
    cause: new Error(
      `error sending request for url (https://tls.example/a): client error: ${said}`,
    ),
  });

Deno.test("a host that is not reached says why where that helps, and no word of its address counts", () => {
  assert.equal(
    unreached("ghe.example", thrown("invalid peer certificate: UnknownIssuer")),
    "ghe.example cannot be reached: its certificate is not trusted",
  );
  assert.equal(
    unreached("ghe.example", thrown("proxy authentication required")),
    "ghe.example cannot be reached: the proxy before it asks for a login",
  );
  const refused = thrown("tcp connect error: Connection refused (os error 111)");
  assert.equal(unreached("ghe.example", refused), "ghe.example cannot be reached");
  assert.equal(connectionFault(causesOf("not an error")), undefined);
});

Deno.test("a tunnel that a proxy does not make may lack a login, and a CA may be one that the machine trusts", () => {
  const closed = connectionFault("tunnel error: unsuccessful tunnel");
  assert.match(closed!.why, /the proxy before it does not let it through/);
  assert.match(closed!.remedy, /HTTPS_PROXY=http:\/\/name:password@host:port.* NO_PROXY$/);
  const unknown = connectionFault("invalid peer certificate: UnknownIssuer");
  assert.match(unknown!.remedy, /DENO_CERT to .* \(PEM\), or DENO_TLS_CA_STORE=system /);
});
