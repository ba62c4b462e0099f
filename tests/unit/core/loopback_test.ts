import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { addressText, loopbackAddress } from "svc/core/loopback.ts";

for (const typed of ["127.0.0.1:9090", "127.255.0.1:0", "[::1]:65535"]) {
  Deno.test(`loopbackAddress accepts ${typed}`, () => {
    assert.equal(addressText(loopbackAddress(typed)), typed);
  });
}

const REFUSED = [
  "localhost:9090",
  "0.0.0.0:9090",
  ":9090",
  "9090",
  "127.0.0.1",
  "127.0.0.1:65536",
  "127.1:80",
  "127.0.0.256:80",
  "127.0.0.01:80",
  "[::]:80",
  "::1:80",
  "[::ffff:127.0.0.1]:80",
  "10.0.0.1:80",
  "128.0.0.1:80",
  "127.0.0.1:080",
  "127.0.0.1:-1",
  " 127.0.0.1:80",
  "127.0.0.1:80 ",
  "2130706433:80",
  "0x7f000001:80",
  "127.0.0.1.nip.io:80",
  "",
];
for (const typed of REFUSED) {
  Deno.test(`loopbackAddress refuses "${typed}"`, () => {
    assert.throws(
      () => loopbackAddress(typed),
      (error) => error instanceof Failure && error.code === "usage" && !!error.detail.remedy,
    );
  });
}

Deno.test("a loopback address whose port does not exist is told what a port may be", () => {
  assert.throws(() => loopbackAddress("127.0.0.1:65536"), {
    message: 'Cannot listen on "127.0.0.1:65536": not a literal loopback address with a port ' +
      "from 0 to 65535",
  });
});
