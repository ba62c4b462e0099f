import assert from "node:assert/strict";
import fc from "fast-check";
import {
  BatchBlobs,
  type Blob,
  indexEntriesIn,
  indexEntry,
  Items,
  listedPath,
  listedPaths,
  nulItems,
  stagedPaths,
  statusOf,
  Stretches,
} from "svc/platform/git/output.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Feeds the whole in pieces of the sizes given, again and again. */
function inPieces<T>(whole: Uint8Array, sizes: number[], push: (piece: Uint8Array) => Iterable<T>) {
  const found: T[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    // The buffer is reused, as a reader may do.
    const piece = whole.slice(at, at + size);
    found.push(...push(piece));
    piece.fill(0x2a);
    at += size;
  }
  return found;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

Deno.test("Items finds the same items however the stream is cut", () => {
  const names = fc.array(fc.uint8Array({ min: 1, maxLength: 8 }));
  fc.assert(fc.property(names, sizes, (items, sizes) => {
    const whole = Uint8Array.from(items.flatMap((item) => [...item, 0]));
    const cut = new Items();
    assert.deepEqual(inPieces(whole, sizes, (piece) => [...cut.push(piece)]), items);
  }));
});

Deno.test("nulItems drops what no NUL ends", () => {
  assert.deepEqual(nulItems(bytes("a\0\0b")), [bytes("a"), bytes("")]);
});

Deno.test("listedPath takes only names that stay below the root and out of .git", () => {
  for (const name of ["a", "a/b c", "é", ".github/x", "..a/b", "a\nb", "\ufeffa"]) {
    assert.deepEqual(listedPath(bytes(name)), { path: name, usable: true });
  }
  const hostile = ["", "/etc", "../x", "a/../../x", "a//b", "./a", ".git/config", "a/.GiT/hooks/x"];
  for (const name of [...hostile, "a/"]) assert.equal(listedPath(bytes(name)).usable, false, name);
  const notUtf8 = Uint8Array.of(0x61, 0xff);
  assert.deepEqual(listedPath(notUtf8), { path: "a\ufffd", usable: false });
});

Deno.test("indexEntry reads mode, id, stage and a name with blanks", () => {
  const oid = "0a".repeat(20);
  assert.deepEqual(indexEntry(bytes(`100755 ${oid} 2\ta b\tc`)), {
    mode: "100755",
    oid,
    stage: 2,
    path: "a b\tc",
    usable: true,
  });
});

Deno.test("BatchBlobs reads the same blobs however the stream is cut", () => {
  const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(40));
  const whole = bytes(
    `${a} blob 5\none\n2\n${b} missing\n${b} blob 0\n\n${c} tree 3\nx\ny\n${c} blob 9\n123456789\n`,
  );
  const expected: Blob[] = [
    { oid: a!, state: "read", bytes: bytes("one\n2") },
    { oid: b!, state: "unreadable" },
    { oid: b!, state: "read", bytes: bytes("") },
    { oid: c!, state: "unreadable" },
    { oid: c!, state: "too_large", size: 9 },
  ];
  fc.assert(fc.property(sizes, (sizes) => {
    const batch = new BatchBlobs(8);
    assert.deepEqual(inPieces(whole, sizes, (piece) => [...batch.push(piece)]), expected);
  }));
});

Deno.test("statusOf reads the entries of porcelain v2", () => {
  const oid = "1".repeat(40);
  const items = [
    `# branch.oid ${oid}`,
    "# branch.head a/b",
    `1 M. N... 100644 100644 100644 ${oid} ${oid} a b`,
    `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} c`,
    "? new/",
    "! ignored",
  ];
  assert.deepEqual(statusOf(items.map(bytes)), {
    branch: "a/b",
    head: oid,
    changes: [
      { kind: "tracked", staged: "M", unstaged: ".", path: "a b", usable: true },
      { kind: "conflict", staged: "U", unstaged: "U", path: "c", usable: true },
      { kind: "untracked", staged: ".", unstaged: "?", path: "new", usable: true },
    ],
  });
  assert.deepEqual(statusOf(["# branch.oid (initial)", "# branch.head (detached)"].map(bytes)), {
    branch: undefined,
    head: undefined,
    changes: [],
  });
});

Deno.test("Stretches and listedPaths read what Items and listedPath read, however the stream is cut", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1 }).map((text) => bytes(text.replaceAll("\0", "") || "x")),
    fc.uint8Array({ min: 1, minLength: 1, maxLength: 8 }),
    fc.constantFrom("a/../b", ".git/config", "a//b", "x/.GIT", "..a", "é").map(bytes),
  );
  fc.assert(fc.property(fc.array(name), sizes, (names, sizes) => {
    const whole = Uint8Array.from(names.flatMap((item) => [...item, 0]));
    const cut = new Stretches();
    const found = inPieces(whole, sizes, (piece) => {
      const stretch = cut.push(piece);
      return stretch === undefined ? [] : listedPaths(stretch);
    });
    assert.deepEqual(found, nulItems(whole).map(listedPath));
  }));
});

Deno.test("indexEntriesIn reads what indexEntry reads, also beside names that are not UTF-8", () => {
  const oid = "b".repeat(64);
  const items = [`100755 ${oid} 2\ta b\tc`, `160000 ${oid} 0\té`, `100644 ${oid} 0\t.git/x`].map(
    bytes,
  );
  const read = (all: Uint8Array[]) =>
    indexEntriesIn(Uint8Array.from(all.flatMap((item) => [...item, 0])));
  assert.deepEqual(read(items), items.map(indexEntry));
  const odd = [...items, Uint8Array.from([...bytes(`100644 ${oid} 0\t`), 0xff])];
  assert.deepEqual(read(odd), odd.map(indexEntry));
});

Deno.test("stagedPaths gives every path but a submodule's, also beside names that are not UTF-8", () => {
  const oid = "a".repeat(40);
  const entry = (mode: string, path: Uint8Array) => [...bytes(`${mode} ${oid} 0\t`), ...path, 0];
  const plain = [...entry("100644", bytes("a b")), ...entry("160000", bytes("sub"))];
  assert.deepEqual(stagedPaths(Uint8Array.from(plain)), [{ path: "a b", usable: true }]);
  const odd = Uint8Array.from([...plain, ...entry("100644", Uint8Array.from([0xff]))]);
  assert.deepEqual(stagedPaths(odd).map(({ usable }) => usable), [true, false]);
});
