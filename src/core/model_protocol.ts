/** The wire formats in which svc speaks to models. */

/** OpenAI chat completions, OpenAI Responses, Anthropic Messages. */
export const PROTOCOLS = ["chat", "responses", "messages"] as const;
export type Protocol = typeof PROTOCOLS[number];
