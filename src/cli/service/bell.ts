/** Rings the terminal's bell when something new needs a person: `--bell`. */
import type { App } from "svc/app.ts";
import type { Service, ServiceStatus } from "svc/runtime/service/plan.ts";

const BEL = "\x07";

/** A bell that rings more often is turned off. */
export const BELL_REST_MS = 30_000;

/** What needs a person now; blocked tickets beyond those with a question are counted, since they are not named. */
export function needsOf(
  { repos, heldBack, overBudget, holds, claims, condition }: ServiceStatus,
): string[] {
  const blocked = repos.flatMap(({ id, tickets, questions }) => [
    ...questions.map(({ ticket }) => `${id} ${ticket}`),
    ...Array.from({ length: tickets.blocked - questions.length }, (_, nth) => `${id} ${nth}`),
  ]);
  return [
    ...blocked,
    ...heldBack.map(({ kind, key }) => `${kind} ${key}`),
    ...overBudget.map(({ repo_id, role, ticket_id }) => `${repo_id} ${role} ${ticket_id} budget`),
    ...holds.map(({ setBy, repo_id, role }) => `${setBy} ${repo_id} ${role} limit`),
    ...(claims === "paused" && condition === "running" ? ["claims"] : []),
  ];
}

export class Bell {
  readonly #ring: () => void;
  readonly #monotonic: () => number;
  #known: ReadonlySet<string> | undefined;
  #rangAt = -Infinity;

  constructor(ring: () => void, monotonic: () => number) {
    this.#ring = ring;
    this.#monotonic = monotonic;
  }

  /** What is there at the first look is not new. */
  look(needs: readonly string[]): void {
    const before = this.#known;
    this.#known = new Set(needs);
    if (before === undefined || needs.every((need) => before.has(need))) return;
    const now = this.#monotonic();
    if (now - this.#rangAt < BELL_REST_MS) return;
    this.#rangAt = now;
    this.#ring();
  }
}

type BellPorts = Pick<App, "clock" | "stderr" | "stdout">;

/** The terminal that svc was started in; a pipe, a file and output for programs hear no bell. */
export function bellSink(
  { stderr, stdout }: Pick<BellPorts, "stderr" | "stdout">,
  { bell, json, plain }: {
    readonly bell: boolean;
    readonly json: boolean;
    readonly plain: boolean;
  },
) {
  if (!bell || json || plain) return undefined;
  return stdout.terminal ? stdout : stderr.terminal ? stderr : undefined;
}

/** @returns ends it */
export function ringBell(
  ports: BellPorts,
  service: Pick<Service, "feed" | "status">,
  asked: Parameters<typeof bellSink>[1],
): () => void {
  const sink = bellSink(ports, asked);
  if (sink === undefined) return () => {};
  const bell = new Bell(() => sink.write(BEL), () => ports.clock.monotonic());
  let looking = false;
  let again = false;
  const look = async () => {
    if (looking) return void (again = true);
    looking = true;
    do {
      again = false;
      bell.look(needsOf(await service.status())); // never throws
    } while (again);
    looking = false;
  };
  const end = service.feed.subscribe(() => void look());
  void look();
  return end;
}
