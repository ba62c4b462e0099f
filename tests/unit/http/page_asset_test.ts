import assert from "node:assert/strict";
import { acceptedCoding, CODINGS, isKnown } from "svc/http/page_asset.ts";

Deno.test("the coding is the one that the client wants most, as RFC 9110, section 12.5.3 weighs it", () => {
  const table: readonly (readonly [string | null, string | undefined])[] = [
    // The examples of the section.
    ["compress, gzip", "gzip"],
    ["", undefined],
    ["*", "br"],
    ["compress;q=0.5, gzip;q=1.0", "gzip"],
    ["gzip;q=1.0, identity; q=0.5, *;q=0", "gzip"],
    [null, undefined],
    ["gzip, deflate, br, zstd", "br"], // Chromium 130, Firefox 126
    ["gzip, deflate", "gzip"],
    ["br", "br"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["br;q=0.1, gzip;q=0.2", "gzip"],
    ["br;q=0, *", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["gzip;q=0, *;q=0.001", "br"],
    ["*;q=0", undefined],
    ["identity", undefined],
    ["identity;q=0", undefined],
    ["identity;q=0, br", "br"],
    ["identity, br;q=0.9", undefined],
    ["identity;q=0.9, br;q=0.9", "br"],
    ["deflate, zstd", undefined],
    ["br\t;\tq=1.000", "br"],
    // What is malformed counts for nothing.
    ["br;q=2", undefined],
    ["br;q=0.0001", undefined],
    ["br;q=-1, gzip", "gzip"],
    ["br;level=5", undefined],
    ["br gzip", undefined],
    [",,gzip,", "gzip"],
    ["bröt", undefined],
  ];
  for (const [header, coding] of table) {
    assert.equal(acceptedCoding(header, CODINGS), coding, String(header));
    assert.equal(acceptedCoding(header, []), undefined, String(header));
  }
  assert.equal(acceptedCoding("br, gzip;q=0.1", ["gzip"]), "gzip");
});

Deno.test("If-None-Match is compared weakly, with lists and *", () => {
  const etag = '"abc-br"';
  for (
    const header of [
      ...['"abc-br"', 'W/"abc-br"', "*", " * ", '"x", "abc-br"', '"x",W/"abc-br","y"'],
      ...['"a,b", "abc-br"', ', "abc-br",'],
    ]
  ) assert.equal(isKnown(header, etag), true, header);
  for (
    const header of [
      ...[null, "", '"abc"', '"abc-gzip"', "abc-br", 'w/"abc-br"', '"ABC-BR"', '"abc-br'],
      ...['"abc-br" x', '*, "x"', '"x abc-br"', 'W/ "abc-br"'],
    ]
  ) assert.equal(isKnown(header, etag), false, String(header));
  // A hostile list takes no time to speak of.
  assert.equal(isKnown('W/"'.repeat(20_000), etag), false);
});
