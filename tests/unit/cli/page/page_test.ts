import assert from "node:assert/strict";
import { cells, page, type PageFacts } from "svc/cli/page/page.ts";

const hide = (text: string) => text.replaceAll("AKIA1234", "[redacted]");

function drawn(
  facts: Omit<PageFacts, "redact">,
  draw: (to: ReturnType<typeof page>) => void,
): string {
  let text = "";
  draw(page((part) => text += part, { ...facts, redact: hide }));
  return text;
}

Deno.test("table aligns its columns and cuts the last one to the terminal", () => {
  const rows = [["a", "short"], ["longer", "x".repeat(60)]];
  const plain = drawn({ styled: false }, (to) => to.table(["id", "text"], rows));
  assert.deepEqual(plain.split("\n").slice(0, 2), ["id      text", "a       short"]);
  assert.ok(plain.includes("x".repeat(60)), "nothing is cut where no terminal is");
  const narrow = drawn({ styled: false, columns: 30 }, (to) => to.table(["id", "text"], rows));
  assert.ok(narrow.split("\n").every((line) => cells(line) <= 30), narrow);
  assert.ok(narrow.includes("…"));
});

Deno.test("fields align their values", () => {
  const text = drawn({ styled: false }, (to) => to.fields([["a", "1"], ["long", "2"]]));
  assert.equal(text, "a:    1\nlong: 2\n");
});

Deno.test("a styled page colours, a plain one does not", () => {
  const draw = (to: ReturnType<typeof page>) => to.line(to.tone("good", "ok"));
  assert.equal(drawn({ styled: true }, draw), "\x1b[32mok\x1b[0m\n");
  assert.equal(drawn({ styled: false }, draw), "ok\n");
});

Deno.test("cells counts wide characters twice and marks not at all", () => {
  assert.deepEqual(["abc", "日本", "e\u0301", "\x1b[1mx\x1b[0m"].map(cells), [3, 4, 1, 1]);
});

const HOSTILE = "a\x1b]52;c;ZXZpbA==\x07\nno secrets found\x9b31m\u202e\u200b\x7f";
const SEEN = "a␛]52;c;ZXZpbA==␇␊no secrets found<U+009B>31m<U+202E><U+200B>␡";

Deno.test("no text acts on the terminal, begins a line or hides anything, wherever it stands", () => {
  for (const styled of [true, false]) {
    const text = drawn({ styled }, (to) => {
      to.line(HOSTILE);
      to.line(`${to.tone("good", HOSTILE)} · ${HOSTILE}`);
      to.heading(HOSTILE);
      to.fields([[HOSTILE, HOSTILE]]);
      to.table([HOSTILE, "b"], [[HOSTILE, to.tone("bad", HOSTILE)], ["c", HOSTILE]]);
      to.next(HOSTILE);
    });
    // deno-lint-ignore no-control-regex -- svc's own tones
    const plain = text.replaceAll(/\x1b\[(?:0|1|2|31|32)m/g, "");
    assert.doesNotMatch(plain, /[\p{Cc}\p{Cf}](?<!\n)/u);
    assert.equal(text.split("\n").length, 9, text);
    assert.equal(plain.split(SEEN).length - 1, 11);
  }
});

Deno.test("a colour that somebody writes is no tone, and lines of a text stay lines", () => {
  const text = drawn({ styled: true }, (to) => to.text("one\r\n\ttwo \x1b[32mgood\x1b[0m\n"));
  assert.equal(text, "one\n\ttwo ␛[32mgood␛[0m\n");
});

Deno.test("a secret that unseen characters part is redacted", () => {
  for (const unseen of ["\u200b", "\x1b", "\u202e", "\u00ad", "\x00", "\u{e0041}"]) {
    const secret = `AKIA${unseen}1234`;
    const all = drawn({ styled: true }, (to) => {
      to.line(`key ${secret}`);
      to.text(`one\nkey ${secret}`);
      to.table(["a", "b"], [[secret, secret]]);
      to.fields([["key", secret]]);
    });
    assert.ok(!/1234/.test(all), JSON.stringify(all));
  }
});
