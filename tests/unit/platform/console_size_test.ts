/** What width a terminal counts as, also where it says none. */
import assert from "node:assert/strict";

const { pathname } = new URL("../../kit/columns_program.ts", import.meta.url);

/** @param size set by stty(1); else as `script` opens it without a terminal of its own: 0 by 0 */
async function columnsOn(size: string): Promise<string | undefined> {
  const { stdout } = await new Deno.Command("script", {
    args: ["-qec", `${size} "$DENO" run -A --quiet "$PROGRAM"`, "/dev/null"],
    env: { DENO: Deno.execPath(), PROGRAM: decodeURIComponent(pathname) },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout).match(/columns: (\w+)/)?.[1];
}

Deno.test("a terminal that says no size counts as one of 80 columns", async () => {
  assert.equal(await columnsOn(""), "80");
  assert.equal(await columnsOn("stty cols 52 rows 20;"), "52");
});
