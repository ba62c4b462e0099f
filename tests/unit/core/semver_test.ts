/** Versions, judged by npm's own reader of them (semver 7.8.6). */
import assert from "node:assert/strict";
import fc from "fast-check";
import npm from "semver";
import {
  type Bump,
  compareSemver,
  parseSemver,
  raised,
  type SemVer,
  semverText,
} from "svc/core/semver.ts";

const part = fc.oneof(fc.nat(3), fc.nat(), fc.constantFrom(9007199254740991, 10, 100));
const word = fc.stringMatching(/^[0-9A-Za-z-]{1,4}$/);
const texts = fc.oneof(
  fc.tuple(part, part, part, fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 2 }))
    .map(([a, b, c, pre, build]) =>
      `${a}.${b}.${c}${pre.length > 0 ? `-${pre.join(".")}` : ""}` +
      `${build.length > 0 ? `+${build.join(".")}` : ""}`
    ),
  fc.stringMatching(/^[0-9.v+a-]{1,12}$/),
  fc.constantFrom("1.2", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "99999999999999999.1.1", ""),
);
const versions = texts.map(parseSemver).filter((it): it is SemVer => it !== undefined);

const trimmed = (text: string) => /^[v=\s]|\s$/.test(text) ? null : npm.parse(text);

Deno.test("a text is a version exactly where it is one to npm", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const mine = parseSemver(text);
      assert.equal(mine && semverText(mine), trimmed(text)?.version, text);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("versions are ordered as npm orders them", () => {
  fc.assert(
    fc.property(versions, versions, (one, other) => {
      const wanted = npm.compare(semverText(one), semverText(other));
      assert.equal(Math.sign(compareSemver(one, other)), wanted, semverText(one));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("versions are raised as npm raises them", () => {
  const small = versions.filter(({ major, minor, patch }) => Math.max(major, minor, patch) < 1e15);
  fc.assert(
    fc.property(small, fc.constantFrom<Bump>("major", "minor", "patch"), (from, bump) => {
      assert.equal(semverText(raised(from, bump)), npm.inc(semverText(from), bump));
    }),
    { numRuns: 3000 },
  );
});
