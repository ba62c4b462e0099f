/** How soon a webhook is answered at 50 a second: `deno run -A bench/webhooks.ts`. The bound is 250 ms. */
import { controlPlace, REMOTE } from "tests/unit/http/control_place.ts";

const PER_SECOND = 50;
const SECONDS = 10;

await using place = await controlPlace();

async function timed(number: number): Promise<number> {
  const payload = {
    ...{ action: "opened", repository: { full_name: REMOTE }, sender: { login: "ada" } },
    issue: {
      ...{ number, title: `Issue ${number}`, updated_at: String(number) },
      ...{ labels: [{ name: "svc" }], body: "It drips. ".repeat(2_000) },
    },
  };
  const start = performance.now();
  const { status } = await place.github("issues", payload);
  if (status !== 202) throw new Error(`answered ${status}`);
  return performance.now() - start;
}

const answers: Promise<number>[] = [];
for (let number = 0; number < PER_SECOND * SECONDS; number++) {
  answers.push(timed(number));
  await new Promise((resolve) => setTimeout(resolve, 1000 / PER_SECOND));
}
const ms = (await Promise.all(answers)).sort((a, b) => a - b);
const at = (share: number) =>
  ms[Math.min(ms.length - 1, Math.floor(ms.length * share))]!.toFixed(1);
console.log(
  `${ms.length} deliveries of 20 KB at ${PER_SECOND}/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ` +
    `max ${at(1)} ms (signing and sending included)`,
);
