/** Settles which model becomes the default: asks where somebody sits, takes what is clear where nobody does. */
import type { App } from "svc/app.ts";
import { asksHere } from "svc/cli/ask.ts";
import type { CommonOptions } from "svc/cli/command.ts";
import { choose, type MenuOption } from "svc/cli/menu.ts";
import type { OwnModels } from "svc/features/models/choose/choose_model.ts";
import { MODEL_NAME } from "svc/features/models/choose/override_shape.ts";
import { isLocal } from "svc/features/models/client/faults.ts";
import { Failure } from "svc/core/failure.ts";
import type { ModelDefault } from "svc/features/settings/model_default.ts";
import {
  choicesOf,
  type ModelChoice,
  type ModelWish,
  unattendedChoice,
} from "svc/features/setup/choice.ts";
import type { FoundKey, Surroundings } from "svc/features/setup/look_around.ts";
import { cloudModels, suggestedCloud } from "svc/features/setup/suggest.ts";
import { cloudEntries, defaultAt } from "svc/features/setup/try_model.ts";

const DOING = "set up svc";

/** Models of a cloud that are offered; a gateway has hundreds. */
const CLOUD_MODELS_OFFERED = 40;

interface Settled {
  readonly inference: "local" | "cloud" | "defer";
  readonly model: ModelDefault | undefined;
}

export interface ModelAsked extends CommonOptions {
  readonly modelEndpoint: string | undefined;
}

const hostOf = (endpoint: string) => new URL(endpoint).host;

function optionOf(choice: ModelChoice): MenuOption<ModelChoice> {
  switch (choice.kind) {
    case "given": {
      const { provider, model = "whatever it serves", endpoint } = choice.model;
      return { value: choice, label: `Keep ${model}`, hint: `${provider} at ${hostOf(endpoint)}` };
    }
    case "server": {
      const { id, provider, endpoint, tools, contextWindow } = choice.candidate;
      const facts = [
        `${provider} at ${hostOf(endpoint)}`,
        ...(tools === undefined ? [] : [tools ? "calls tools" : "does not call tools itself"]),
        ...(contextWindow === undefined ? [] : [`${contextWindow} tokens`]),
      ];
      return { value: choice, label: id, hint: facts.join(", ") };
    }
    case "cloud": {
      const { provider, keyEnv, endpoint } = choice.key;
      const hint = `your code goes to ${hostOf(endpoint)}; the key is read from ${keyEnv}`;
      return { value: choice, label: `A model of ${provider}`, hint };
    }
    case "later":
      return { value: choice, label: "Decide later", hint: "no model is chosen" };
  }
}

async function cloudModel(
  app: App,
  asked: ModelAsked,
  key: FoundKey,
  rules: OwnModels,
): Promise<ModelDefault> {
  const { provider, endpoint, keyEnv } = key;
  app.progress.update(`asking ${provider} for its models`);
  const entries = (await cloudEntries(app, key, rules)).filter(({ id }) => MODEL_NAME.test(id));
  const ids = cloudModels(provider, entries);
  const suggested = suggestedCloud(provider, ids);
  const model = mayAsk(app, asked)
    ? await choose(app, asked, {
      doing: DOING,
      question: `Which model of ${provider}?`,
      options: ids.slice(0, CLOUD_MODELS_OFFERED).map((id) => ({ value: id, label: id })),
    })
    : suggested;
  if (model !== undefined) return { provider, model, endpoint, api_key_env: keyEnv };
  throw new Failure("answer_needed", `Cannot choose a model of ${provider}`, {
    remedy: `Name it: --model-endpoint ${endpoint}#<model>`,
  });
}

export const mayAsk = (app: Pick<App, "stdinTerminal" | "stdout">, asked: CommonOptions) =>
  !asked.yes && asksHere(app, asked);

async function chosenOf(
  app: App,
  asked: ModelAsked,
  found: Surroundings,
  wish: ModelWish,
): Promise<ModelChoice> {
  const choices = choicesOf(found, wish);
  // A dry run shows what Enter would take.
  if (asked.dryRun) return wish.inference === "defer" ? { kind: "later" } : choices[0]!;
  // With nothing to choose from there is nothing to ask.
  if (!mayAsk(app, asked) || choices.length === 1 || wish.inference === "defer") {
    return mayAsk(app, asked) ? { kind: "later" } : unattendedChoice(found, wish);
  }
  const question = "Which model should every role use?";
  return await choose(app, asked, { doing: DOING, question, options: choices.map(optionOf) });
}

/** @throws Failure as `unattendedChoice`; `interrupted` where the person leaves; `environment` for a key that is refused */
export async function settleDefault(
  app: App,
  asked: ModelAsked,
  found: Surroundings,
  wish: ModelWish,
  rules: OwnModels,
): Promise<Settled> {
  const whereOf = (model: ModelDefault) => isLocal(model) ? "local" as const : "cloud" as const;
  if (asked.modelEndpoint !== undefined) {
    const model = defaultAt(asked.modelEndpoint, rules);
    return { inference: whereOf(model), model };
  }
  const chosen = await chosenOf(app, asked, found, wish);
  if (chosen.kind === "later") return { inference: "defer", model: undefined };
  if (chosen.kind === "cloud") {
    if (asked.dryRun) return { inference: "cloud", model: undefined };
    return { inference: "cloud", model: await cloudModel(app, asked, chosen.key, rules) };
  }
  return { inference: whereOf(chosen.model), model: chosen.model };
}
