/** A program for races: adds one to a number in a file, many times, each time under the repo's lock. */
import { systemClock } from "svc/platform/clock.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";

const [folder, rounds, manner = "count"] = Deno.args as [string, string, string?];
const place = { root: folder, commonDir: folder };
const number = `${folder}/number`;

for (let round = 0; round < Number(rounds); round++) {
  using _held = await lockRepo(place, { doing: `count ${round}`, clock: systemClock });
  if (manner === "hold") {
    console.log("held");
    await new Promise<never>(() => setInterval(() => {}, 1000));
  }
  const before = Number(await Deno.readTextFile(number));
  await Deno.writeTextFile(number, String(before + 1));
}
