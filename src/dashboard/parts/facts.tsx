/** Small elements of every page: an age, a state, a name with its link. */
import type { ComponentChildren } from "preact";
import { connection } from "svc/dashboard/state/events.ts";
import { now } from "svc/dashboard/state/clock.ts";
import { jobHref, ticketHref } from "svc/dashboard/state/place.ts";
import { ago, exact, shortId, span, spoken } from "svc/dashboard/state/words.ts";
import { Icon } from "./icon.tsx";

export function Age({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="age">—</span>;
  const time = Date.parse(at);
  return <time class="age" dateTime={at} title={exact(time)}>{ago(time, now.value)}</time>;
}

export function Lasting({ since }: { readonly since: string | null }) {
  if (since === null) return <span class="dim">—</span>;
  const time = Date.parse(since);
  // Without a connection nobody knows that it goes on.
  const seen = connection.value.state === "lost" ? connection.value.since : now.value;
  return <time dateTime={since} title={exact(time)}>{span((seen - time) / 1000)}</time>;
}

export type ChipTone = "needs_you" | "failing" | "waiting" | "working" | "done" | "plain";

export function Chip(
  { tone, children }: { readonly tone: ChipTone; readonly children: ComponentChildren },
) {
  return (
    <span class={`chip tone-${tone}`}>
      {tone !== "plain" && <Icon name={tone} />}
      {children}
    </span>
  );
}

const JOB_TONES: Readonly<Record<string, ChipTone>> = {
  pending: "waiting",
  running: "working",
  completed: "done",
  failed: "failing",
};

/** State of a job. Without a connection a live job is shown as "was running". */
export function JobState({ status }: { readonly status: string }) {
  const lost = connection.value.state === "lost" && (status === "running" || status === "pending");
  return <Chip tone={JOB_TONES[status] ?? "plain"}>{lost ? `was ${status}` : status}</Chip>;
}

export function Outcome({ name }: { readonly name: string | null }) {
  if (name === null) return <span class="dim">—</span>;
  const bad = /failed|exhausted|stuck|timed_out|cancelled|denied|error/.test(name);
  return <span class={bad ? "bad-word" : ""}>{spoken(name)}</span>;
}

export function JobLink({ id, text }: { readonly id: string; readonly text?: string }) {
  return <a class="mono" href={jobHref(id)} title={id}>{text ?? shortId(id)}</a>;
}

export function TicketLink(
  { repo, id, text }: { readonly repo: string; readonly id: string | null; readonly text?: string },
) {
  if (id === null) return <span class="dim">—</span>;
  return <a href={ticketHref(repo, id)}>{text ?? id}</a>;
}

export const Keys = ({ keys }: { readonly keys: readonly string[] }) => (
  <span class="keys">{keys.map((key) => <kbd key={key}>{key}</kbd>)}</span>
);

export function Empty(
  { title, children }: { readonly title: string; readonly children?: ComponentChildren },
) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/** A service works on the repos that are registered when it begins. */
export const NoRepo = () => (
  <Empty title="No repo is registered">
    Register one: <code>svc register --repo /path/to/repo</code>, then start svc again
  </Empty>
);

export function Facts(
  { of }: { readonly of: readonly (readonly [string, ComponentChildren] | undefined | false)[] },
) {
  return (
    <dl class="facts">
      {of.map((fact) =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        )
      )}
    </dl>
  );
}
