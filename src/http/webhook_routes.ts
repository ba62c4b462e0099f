/** The receivers of webhooks: the signature over the raw bytes is checked before anything else. */
import { HTTP_RETRY_SECS, WEBHOOK_STORE_MS } from "svc/core/bounds.ts";
import { payloadOf } from "svc/features/webhooks/payload.ts";
import {
  freshByLinear,
  signedByGithub,
  signedByLinear,
  signingKey,
} from "svc/features/webhooks/signature.ts";
import type { WebhookSource } from "svc/features/webhooks/delivery_table.ts";
import {
  type Delivery,
  type IntakePorts,
  takeDelivery,
  type TakenDelivery,
} from "svc/features/webhooks/take_delivery.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import { answer, type HttpAnswer, refusal } from "./answer.ts";
import type { HttpRoute, RouteCall } from "./route.ts";

/** GitHub sends at most 25 MB (docs.github.com, "Webhook events and payloads"); Linear's deliveries are small. */
export const GITHUB_DELIVERY_BYTES = 25 * 1024 * 1024;
export const LINEAR_DELIVERY_BYTES = 1024 * 1024;

export interface WebhookPorts extends IntakePorts {
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly log: Pick<Log, "write">;
  /** A receiver without its secret answers 503. */
  readonly secrets: { readonly [S in WebhookSource]?: string | undefined };
  onStored?(): void;
}

const UNSIGNED = refusal(401, "unauthorized");
const BAD = refusal(400, "bad request");
const AGAIN = refusal(503, "not stored; send it again", { "retry-after": String(HTTP_RETRY_SECS) });

interface Sender {
  readonly maxBytes: number;
  signed(key: CryptoKey, call: RouteCall): Promise<boolean>;
  fresh(body: unknown, now: number): boolean;
  event(
    call: RouteCall,
    body: unknown,
  ): { readonly id: string; readonly event: string } | undefined;
}

const named = (id: string | null, event: unknown) =>
  /^[\w-]{8,100}$/.test(id ?? "") && typeof event === "string" && /^\w{1,60}$/.test(event)
    ? { id: id!, event }
    : undefined;

const SENDERS: Readonly<Record<WebhookSource, Sender>> = {
  github: {
    maxBytes: GITHUB_DELIVERY_BYTES,
    signed: (key, { header, body }) => signedByGithub(key, header("x-hub-signature-256"), body),
    fresh: () => true, // GitHub signs no time
    event: ({ header }) => named(header("x-github-delivery"), header("x-github-event")),
  },
  linear: {
    maxBytes: LINEAR_DELIVERY_BYTES,
    signed: (key, { header, body }) => signedByLinear(key, header("linear-signature"), body),
    fresh: (body, now) => freshByLinear(payloadOf(body).value("webhookTimestamp"), now),
    event: ({ header }, body) => named(header("linear-delivery"), payloadOf(body).value("type")),
  },
};

function parsedObject(bytes: Uint8Array<ArrayBuffer>): object | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // as said above
  }
}

function answerTo(taken: TakenDelivery): HttpAnswer {
  switch (taken.kind) {
    case "accepted":
      return answer(202, { ok: true });
    case "duplicate":
      return answer(200, { ok: true, duplicate: true });
    case "noted":
      return answer(200, { ok: true });
    case "ignored":
      return answer(200, { ok: true, ignored: true, reason: taken.reason });
  }
}

type Take = (delivery: Delivery) => Promise<HttpAnswer>;

/** A delivery answered as late may be stored all the same; sent again, it is a duplicate. */
function taker(ports: WebhookPorts): Take {
  // One after another, so that deliveries do not each wait for a locked database.
  let last: Promise<unknown> = Promise.resolve();
  return async (delivery) => {
    const ended = new AbortController();
    const late = ports.clock.sleep(WEBHOOK_STORE_MS, ended.signal).then(() => "late" as const);
    const taken = last.then(() => takeDelivery(ports, delivery, ports.clock.now(), ended.signal))
      .then((taken) => {
        if (taken.kind === "accepted") ports.onStored?.();
        return taken;
      }).catch((thrown) => {
        const { source, id } = delivery;
        ports.log.write("error", "a delivery was not stored", { source, id, cause: thrown });
        return "late" as const;
      });
    last = taken;
    const first = await Promise.race([taken, late]);
    ended.abort();
    return first === "late" ? AGAIN : answerTo(first);
  };
}

function receiver(source: WebhookSource, ports: WebhookPorts, take: Take): HttpRoute {
  const sender = SENDERS[source];
  const secret = ports.secrets[source];
  const key = secret === undefined || secret === "" ? undefined : signingKey(secret);
  return {
    method: "POST",
    path: `/webhooks/${source}`,
    access: "signed",
    body: { kind: "raw", maxBytes: sender.maxBytes },
    needs: () => key === undefined ? refusal(503, "no secret is configured") : undefined,
    async handle(call) {
      if (key === undefined || !await sender.signed(await key, call)) return UNSIGNED;
      const body = parsedObject(call.body);
      if (body === undefined) return BAD;
      if (!sender.fresh(body, ports.clock.now())) return UNSIGNED;
      const name = sender.event(call, body);
      if (name === undefined) return BAD;
      return await take({ source, ...name, payload: payloadOf(body) });
    },
  };
}

export function webhookRoutes(ports: WebhookPorts): readonly HttpRoute[] {
  const take = taker(ports);
  return [receiver("github", ports, take), receiver("linear", ports, take)];
}
