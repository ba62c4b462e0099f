/** A living service over real repos, with the real parts of an engine, and all that it tells. */
import type { Event } from "svc/features/telemetry/event_store.ts";
import { startService } from "svc/runtime/service/service.ts";
import type { Service, ServiceEvent, ServicePlan } from "svc/runtime/service/plan.ts";
import { type Parts, reposIn } from "./engine_place.ts";

export interface WatchedService extends AsyncDisposable {
  readonly service: Service;
  /** But for what streams. */
  readonly told: ServiceEvent[];
  /** What its feed told. */
  readonly events: Event[];
  /** Resolves with the first one, past or to come, that fits. */
  said(fits: (event: ServiceEvent) => boolean): Promise<ServiceEvent>;
  /** The same of the feed; `data` is parsed. */
  stored(fits: (type: Event["type"], data: Data) => boolean): Promise<Event>;
  /** States of the `status_change` events so far. */
  states(): unknown[];
}

type Data = Record<string, unknown>;
export const dataOf = ({ data }: Pick<Event, "data">) => JSON.parse(data) as Data;

/** A list to which somebody adds, and a way to wait for what is added. */
function awaited<T>(): {
  list: T[];
  add(one: T): void;
  first(fits: (one: T) => boolean): Promise<T>;
} {
  const list: T[] = [];
  const waiting = new Set<(one: T) => void>();
  return {
    list,
    add(one) {
      list.push(one);
      for (const tell of [...waiting]) tell(one);
    },
    first(fits) {
      const past = list.find(fits);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => {
        const tell = (one: T) => {
          if (!fits(one)) return;
          waiting.delete(tell);
          resolve(one);
        };
        waiting.add(tell);
      });
    },
  };
}

/** Stopped at once when it is disposed of. */
export function watchedService(
  ports: Parts,
  plan: Partial<ServicePlan> & { readonly modelEndpoint: string },
): WatchedService {
  const told = awaited<ServiceEvent>();
  const events = awaited<Event>();
  const service = startService({
    ports,
    shape: "serve",
    repos: reposIn(ports),
    ...plan,
    on(event) {
      if (event.kind !== "text" && event.kind !== "step") told.add(event);
    },
  });
  service.feed.subscribe(events.add);
  return {
    service,
    told: told.list,
    events: events.list,
    said: told.first,
    stored: (fits) => events.first((event) => fits(event.type, dataOf(event))),
    states: () =>
      events.list.filter(({ type }) => type === "status_change")
        .map((event) => dataOf(event).state),
    async [Symbol.asyncDispose]() {
      await service.stop({ graceMs: 0 });
    },
  };
}
