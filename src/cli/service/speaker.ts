/** Writes what a service does to stderr and to the command log, one line for each event. */
import { counted } from "svc/core/counted.ts";
import { rfc3339, timeOfDay } from "svc/core/time.ts";
import type { App } from "svc/app.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { Failure } from "svc/core/failure.ts";
import type { ServiceEvent, Shape } from "svc/runtime/service/plan.ts";
import { visibleWithout } from "svc/core/visible_text.ts";
import { styledOn, type Tone, toneText } from "svc/cli/page/page.ts";
import { DebugLines, lineOf } from "./lines.ts";

type SpeakerPorts = Pick<App, "clock" | "env" | "log" | "progress" | "redact" | "stderr">;

export class Speaker {
  readonly #ports: SpeakerPorts;
  readonly #styled: boolean;
  readonly #debug: DebugLines | undefined;
  #names = new Map<string, string>();
  /** True while the live screen shows the events instead. */
  #silent = false;
  #early: ServiceEvent[] | undefined = [];
  #reminded: string | undefined;
  #spoke = () => {};

  constructor(
    ports: SpeakerPorts,
    { debug, plain }: { readonly debug: boolean; readonly plain: boolean },
  ) {
    this.#ports = ports;
    this.#styled = !plain && styledOn(ports.stderr, ports.env);
    this.#debug = debug ? new DebugLines((id) => this.#name(id)) : undefined;
  }

  /** Names the repos in later lines; one alone needs no name. */
  repos(known: readonly RegisteredRepo[]): void {
    const several = known.length > 1;
    this.#names = new Map(known.flatMap(({ id, path }) => {
      const name = several ? path.slice(path.lastIndexOf("/") + 1) : "";
      return [[id, name], [path, name]];
    }));
  }

  /** `spoke` is called after each line but reminders. */
  onSpoken(spoke: () => void): void {
    this.#spoke = spoke;
    spoke();
  }

  /** Says what it waits for, once until something else is said. */
  remind(text: string | undefined): void {
    if (text === undefined || text === this.#reminded || this.#silent) return;
    this.#reminded = text;
    this.#write(text);
  }

  say(text: string, tone?: Tone): void {
    this.#write(text, tone);
    this.#reminded = undefined;
    this.#spoke();
  }

  #write(text: string, tone?: Tone): void {
    const { clock, log, progress, redact, stderr } = this.#ports;
    log.write(tone === "bad" || tone === "warn" ? "warn" : "info", text);
    if (this.#silent) return;
    progress.done();
    const time = timeOfDay(rfc3339(clock.now()));
    // Names and reasons come from repos and models: none moves the cursor or begins another line.
    const harmless = visibleWithout(redact)(text);
    const said = tone === undefined ? harmless : toneText(this.#styled, tone, harmless);
    stderr.write(`${toneText(this.#styled, "dim", time)} ${said}\n`);
  }

  warn(text: string): void {
    this.say(text, "warn");
  }

  started(
    { shape, profile, sandboxed, urls, repos }: {
      readonly shape: Shape;
      readonly profile: string;
      readonly sandboxed: boolean;
      readonly urls: { readonly dashboard: string | null; readonly control: string | null };
      readonly repos: number;
    },
  ): void {
    const may = profile !== "host"
      ? "observer: changes nothing"
      : sandboxed
      ? "host: a sandbox contains what jobs start"
      : "host: full authority of your user";
    this.say(`svc ${shape} works on ${counted(repos, "repo")} (${may})`, "good");
    if (urls.dashboard !== null) this.say(`dashboard: ${urls.dashboard}`);
    if (urls.control !== null) this.say(`webhooks and health: ${urls.control}`);
    if (shape === "serve" && repos === 0) {
      this.warn("no repo is registered: svc register --repo <path>, then start svc serve again");
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.hear(event);
  }

  hear(event: ServiceEvent): void {
    if (this.#early !== undefined) return void this.#early.push(event);
    for (const text of this.#debug?.of(event) ?? []) this.say(text);
    const line = lineOf(event, (id) => this.#name(id));
    if (line !== undefined) this.say(line.text, line.tone);
  }

  moved({ repo, ticket, from, to }: {
    readonly repo: string;
    readonly ticket: string;
    readonly from: string;
    readonly to: string;
  }): void {
    const where = this.#names.size > 2 ? `${repo}: ` : "";
    this.say(`${where}${ticket} moved: ${from} → ${to}`, "good");
  }

  /** Writes no lines while the screen is shown; when it fails, writes why and the lines from then on. */
  async silently(screen: Promise<void>): Promise<void> {
    this.#silent = true;
    try {
      await screen;
    } catch (thrown) {
      this.#silent = false;
      this.warn(Failure.from(thrown).message);
    } finally {
      this.#silent = false;
    }
  }

  #name(idOrRoot: string): string {
    return this.#names.get(idOrRoot) ?? "";
  }
}
