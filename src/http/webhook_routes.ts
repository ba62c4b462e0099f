/** The receivers of webhooks: the head is checked before the body is read, the signature before anything in it. */
import { HTTP_RETRY_SECS, WEBHOOK_STORE_MS } from "svc/core/bounds.ts";
import { payloadOf } from "svc/features/webhooks/payload.ts";
import {
  freshByLinear,
  githubSignature,
  linearSignature,
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

/** GitHub sends at most 25 MB (docs.github.com, "Webhook events and payloads"). */
export const GITHUB_DELIVERY_BYTES = 25 * 1024 * 1024;

/** A changed description of Linear comes twice: as it is and, in `updatedFrom`, as it was. */
export const LINEAR_DELIVERY_BYTES = 5 * 1024 * 1024;

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
  readonly idHeader: string;
  /** Absent: `type` of the body names the event. */
  readonly eventHeader?: string;
  readonly signatureHeader: string;
  /** The JSON may come as the field `payload` of a form. */
  readonly forms?: true;
  /** Undefined for what has not the form of one. */
  signature(text: string | null): string | undefined;
  signed: typeof signedByGithub;
  fresh(body: unknown, now: number): boolean;
}

type Header = RouteCall["header"];

const SENDERS: Readonly<Record<WebhookSource, Sender>> = {
  github: {
    maxBytes: GITHUB_DELIVERY_BYTES,
    idHeader: "x-github-delivery",
    eventHeader: "x-github-event",
    signatureHeader: "x-hub-signature-256",
    forms: true,
    signature: githubSignature,
    signed: signedByGithub,
    fresh: () => true, // GitHub signs no time
  },
  linear: {
    maxBytes: LINEAR_DELIVERY_BYTES,
    idHeader: "linear-delivery",
    signatureHeader: "linear-signature",
    signature: linearSignature,
    signed: signedByLinear,
    fresh: (body, now) => freshByLinear(payloadOf(body).value("webhookTimestamp"), now),
  },
};

const isId = (text: string | null): text is string => /^[\w-]{8,100}$/.test(text ?? "");
const isEvent = (value: unknown): value is string =>
  typeof value === "string" && /^\w{1,60}$/.test(value);

/**
 * Checks the head before a byte of the body takes memory, since a sender without the secret could send for
 * ever.
 */
function refusedHead(sender: Sender, header: Header) {
  const { idHeader, eventHeader } = sender;
  if (sender.signature(header(sender.signatureHeader)) === undefined) return unread(UNSIGNED);
  const named = isId(header(idHeader)) &&
    (eventHeader === undefined || isEvent(header(eventHeader)));
  return named ? undefined : unread(BAD);
}

/** The unread body must not be taken for the next request. */
const unread = ({ headers, ...rest }: HttpAnswer): HttpAnswer => ({
  ...rest,
  headers: { ...headers, connection: "close" },
});

/** Empty unless the form has exactly one such field. @throws URIError where it is no UTF-8 */
function payloadField(form: string): string {
  const [field, ...more] = form.split("&").filter((part) => part.startsWith("payload="));
  if (field === undefined || more.length > 0) return "";
  return decodeURIComponent(field.slice("payload=".length).replaceAll("+", " "));
}

function parsedObject(bytes: Uint8Array<ArrayBuffer>, form: boolean): object | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(form ? payloadField(text) : text);
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

/** Time between two words on the clock: whoever sends old deliveries again must not fill the log. */
const SKEW_TOLD_MS = 60_000;

/** Signed as it should be: where all of them are refused, the clock is wrong, and the sender gives up soon. */
function skewTeller({ log }: Pick<WebhookPorts, "log">, source: WebhookSource) {
  let toldAt = -Infinity;
  return (sent: unknown, now: number) => {
    if (!Number.isSafeInteger(sent) || Math.abs(now - toldAt) < SKEW_TOLD_MS) return;
    toldAt = now;
    const off = Math.round((now - (sent as number)) / 1000);
    const where = off > 0 ? "behind" : "ahead of";
    const said = `its time is ${Math.abs(off)} s ${where} this machine's clock`;
    log.write("warn", `a delivery was refused: ${said}. Where all are, set the clock`, { source });
  };
}

function receiver(source: WebhookSource, ports: WebhookPorts, take: Take): HttpRoute {
  const sender = SENDERS[source];
  const secret = ports.secrets[source];
  const key = secret === undefined || secret === "" ? undefined : signingKey(secret);
  const tellSkew = skewTeller(ports, source);
  return {
    method: "POST",
    path: `/webhooks/${source}`,
    access: "signed",
    body: { kind: "raw", maxBytes: sender.maxBytes, ...(sender.forms && { forms: true }) },
    needs(header) {
      if (key === undefined) return refusal(503, "no secret is configured");
      return refusedHead(sender, header);
    },
    async handle({ header, body: bytes }) {
      if (
        key === undefined || !await sender.signed(await key, header(sender.signatureHeader), bytes)
      ) {
        return UNSIGNED;
      }
      // The gate let only these two kinds of content through.
      const form = !/^application\/json/i.test(header("content-type") ?? "");
      const body = parsedObject(bytes, form);
      if (body === undefined) return BAD;
      const now = ports.clock.now();
      if (!sender.fresh(body, now)) {
        tellSkew(payloadOf(body).value("webhookTimestamp"), now);
        return UNSIGNED;
      }
      const id = header(sender.idHeader);
      const event = sender.eventHeader === undefined
        ? payloadOf(body).value("type")
        : header(sender.eventHeader);
      if (!isId(id) || !isEvent(event)) return BAD;
      return await take({ source, id, event, payload: payloadOf(body) });
    },
  };
}

export function webhookRoutes(ports: WebhookPorts): readonly HttpRoute[] {
  const take = taker(ports);
  return [receiver("github", ports, take), receiver("linear", ports, take)];
}
