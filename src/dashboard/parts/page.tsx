/** The head of every page: its name, the age of its data, and why they could not be fetched. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { connection } from "svc/dashboard/state/events.ts";
import { now } from "svc/dashboard/state/clock.ts";
import type { Resource } from "svc/dashboard/state/resource.ts";
import { refresh } from "svc/dashboard/state/resource.ts";
import { ago, clockTime, exact } from "svc/dashboard/state/words.ts";

interface PageProps<T> {
  readonly title: string;
  /** Number of things that need a person; also shown in the title of the window. */
  readonly mark?: number;
  readonly lead?: ComponentChildren;
  readonly of: Resource<T>;
  readonly aside?: ComponentChildren;
  /** Where to go where there is no such thing. */
  readonly instead?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** Older data while connected mean that the last request was not answered. */
const OLD_MS = 90_000;

function Fresh({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return null;
  const old = connection.value.state === "lost" || now.value - at > OLD_MS;
  return (
    <span class={old ? "fresh old" : "fresh"} title={exact(at)}>
      {old ? `as of ${clockTime(at, now.value)}` : `updated ${ago(at, Math.max(at, now.value))}`}
    </span>
  );
}

export function Page<T>(
  { title, mark = 0, lead, of, aside, instead, children }: PageProps<T>,
) {
  const data = of.data.value;
  const fault = of.fault.value;
  useEffect(() => {
    document.title = `${mark > 0 ? `(${mark}) ` : ""}${title} · svc`;
  }, [title, mark]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        <div class="page-aside">
          {aside}
          <Fresh at={of.at.value} />
        </div>
      </header>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {data === undefined ? "Cannot show this page: " : "Cannot update this page: "}
          {fault} <button type="button" class="quiet" onClick={refresh}>Try again</button>
          {data === undefined && instead !== undefined && <>{" "}or {instead}</>}
        </p>
      )}
      {data === undefined ? fault === undefined && <Loading /> : children(data)}
    </>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status" aria-label="Loading">
      <i />
      <i />
      <i />
    </div>
  );
}

export function Section(
  { title, note, id, children, wide }: {
    readonly title: ComponentChildren;
    readonly note?: ComponentChildren;
    readonly id?: string;
    readonly wide?: boolean;
    readonly children: ComponentChildren;
  },
) {
  return (
    <section class={wide === true ? "section wide" : "section"} id={id}>
      <div class="section-head">
        <h2>{title}</h2>
        {note !== undefined && <span class="note">{note}</span>}
      </div>
      {children}
    </section>
  );
}

/** Sections stand one below the other there, so they are closed at first. */
const NARROW = "(max-width: 1120px)";

/** A section that can be closed; what is in it is drawn once it was open. @param open else by the width of the window */
export function Fold(
  { title, note, open, children }: {
    readonly title: string;
    readonly note?: ComponentChildren;
    readonly open?: boolean;
    readonly children: ComponentChildren;
  },
) {
  const first = useMemo(() => open ?? !matchMedia(NARROW).matches, []);
  const shown = useSignal(first);
  return (
    <details
      class="section fold"
      open={first}
      onToggle={(event) => {
        if (event.currentTarget.open) shown.value = true;
      }}
    >
      <summary class="section-head" data-item>
        <h2>{title}</h2>
        {note !== undefined && <span class="note">{note}</span>}
      </summary>
      {shown.value && children}
    </details>
  );
}
