/** The client of OpenAI Responses: GPT models that think, and the codex ones that speak nothing else. */
import OpenAI from "openai";
import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import { errorObject, ErrorResponse } from "svc/features/models/client/error_response.ts";
import type { ModelClient, Usage } from "svc/features/models/client/model.ts";
import { tokenCount } from "svc/features/models/client/usage.ts";
import { Numbered } from "./numbered.ts";
import type { ReplyPart } from "./reply_order.ts";
import { OPTIONAL_FIELDS, type OptionalField, responsesBody } from "./responses_request.ts";
import {
  RefusedReply,
  type SdkConnection,
  vendorClient,
  type VendorReply,
  type VendorRequest,
} from "./vendor_client.ts";

type Refused = ReadonlySet<OptionalField>;

/** Everything is said here, since the package reads what is missing from OPENAI_… variables. */
function connect({ fetch, baseURL, apiKey, timeout }: SdkConnection): OpenAI {
  return new OpenAI({
    fetch,
    baseURL,
    apiKey,
    timeout,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
  });
}

function usageOf({ usage }: Response): Usage | undefined {
  const tokensIn = tokenCount(usage?.input_tokens);
  if (!tokensIn) return undefined;
  const cachedIn = tokenCount(usage!.input_tokens_details?.cached_tokens);
  return {
    tokensIn,
    ...(cachedIn !== undefined && { cachedIn }),
    tokensOut: tokenCount(usage!.output_tokens) ?? 0,
    estimated: false,
  };
}

function partOf(item: ResponseOutputItem): ReplyPart[] {
  if (item.type === "message") {
    const texts = item.content.map((one) => one.type === "refusal" ? one.refusal : one.text);
    const text = texts.join("").trim();
    const { phase } = item;
    return text === "" ? [] : [{ kind: "text", text, ...(phase && { phase }) }];
  }
  if (item.type === "function_call") {
    const { call_id: id, name, arguments: args } = item;
    return [{ kind: "call", call: { id: id ?? "", name, args: args || "{}" } }];
  }
  if (item.type !== "reasoning") return [];
  const { id, summary = [], content, encrypted_content } = item;
  const text = [...summary, ...content ?? []].map((one) => one.text).join("\n");
  // Other fields, such as `status`, are refused when they come back (BerriAI/litellm#13420).
  const kept = {
    type: "reasoning",
    id,
    summary,
    ...(content && content.length > 0 && { content }),
    ...(encrypted_content && { encrypted_content }),
  };
  // With neither, only the id would say what it was, and nothing is stored.
  const readable = encrypted_content || (content?.length ?? 0) > 0;
  return readable ? [{ kind: "sealed", item: kept, text }] : [];
}

/** Codes that another try does not change; those of images and files cannot come. */
const LASTING = /invalid_prompt|policy|data_residency/;

function failure({ error }: Response): ErrorResponse {
  const status = LASTING.test(error?.code ?? "") ? 400 : 0;
  return new ErrorResponse(status, JSON.stringify({ error }));
}

/** Ends at the last event. Some servers leave `output` of that out, some send no item by itself. */
function responseReader(hear: SdkConnection["hear"]) {
  const done = new Numbered<ResponseOutputItem>();
  let final: Response | undefined;
  return {
    /** False when the reply is complete, or has said enough. */
    take(event: ResponseStreamEvent): boolean {
      switch (event.type) {
        case "response.output_text.delta":
        case "response.refusal.delta":
          return hear("text", event.delta);
        case "response.function_call_arguments.delta":
          return hear("arguments", event.delta);
        case "response.reasoning_text.delta":
        case "response.reasoning_summary_text.delta":
          return hear("reasoning", event.delta);
        case "response.output_item.done":
          return done.put(event.output_index, event.item);
        case "response.failed":
          throw failure(event.response);
        case "response.completed":
        case "response.incomplete":
          final = event.response;
          return false;
        default:
          return true;
      }
    },
    reply(): VendorReply {
      const items = done.all();
      if (final === undefined) {
        return { parts: items.flatMap(partOf), end: undefined, usage: undefined };
      }
      if (final.incomplete_details?.reason === "content_filter") {
        throw new RefusedReply("bad_request", "its provider's content filter stopped the answer");
      }
      const { output = [] } = final;
      return {
        parts: (items.length >= output.length ? items : output).flatMap(partOf),
        end: final.status === "incomplete" ? "length" : "stop",
        usage: usageOf(final),
      };
    },
  };
}

async function ask(
  request: VendorRequest,
  refused: Refused,
  connection: SdkConnection,
): Promise<VendorReply> {
  const events = await connect(connection).responses.create(await responsesBody(request, refused));
  const reader = responseReader(connection.hear);
  for await (const event of events) if (!reader.take(event)) break;
  return reader.reply();
}

const NOT_TAKEN =
  /unsupported|not supported|does not support|unknown|unrecognized|unexpected|not permitted/i;

/** "Unsupported parameter: 'temperature' …", "Encrypted content is not supported with this model" (`param: include`). */
function easier(refused: Refused, { status, text }: ErrorResponse): Refused | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const { message, fields } = errorObject(text);
  const param = typeof fields["param"] === "string" ? fields["param"] : "";
  if (!NOT_TAKEN.test(message)) return undefined;
  const field = OPTIONAL_FIELDS.find((name) =>
    !refused.has(name) &&
    (param.split(".")[0] === name || new RegExp(`['"\`]${name}\\b`).test(message))
  );
  return field && new Set([...refused, field]);
}

/** @throws as `vendorClient` */
export function responsesClient(plan: ClientPlan): ModelClient {
  return vendorClient(plan, { settings: new Set<OptionalField>(), ask, easier });
}
