/** A program for tests: exchanges two names in one step, for ever, until it is killed (renameat2(2)). */
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;

const libc = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});
const [one, other] = Deno.args.map((path) => new TextEncoder().encode(`${path}\0`));

for (let count = 0;; count++) {
  const answer = libc.symbols.renameat2(AT_FDCWD, one!, AT_FDCWD, other!, RENAME_EXCHANGE);
  if (answer !== 0) throw new Error(`renameat2 failed at exchange ${count}`);
  if (count === 1000) await Deno.stdout.write(new TextEncoder().encode("ready\n"));
}
