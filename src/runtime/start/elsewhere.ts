/** Finds out where else on this machine a model answers, if nothing answers at the address in the route. */
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { isLocal } from "svc/features/models/client/faults.ts";
import { ModelFault } from "svc/features/models/client/model.ts";
import { lookAround } from "svc/features/setup/look_around.ts";
import { ranked } from "svc/features/setup/suggest.ts";

type LookPorts = Parameters<typeof lookAround>[0];

/**
 * Returns the failure as it is, or one that names a model which was found at the usual ports that `svc setup`
 * looks at. svc never takes that model by itself, since a person decides where the prompts of a repo go.
 * @throws Failure `interrupted`
 */
export async function orElsewhere(
  ports: LookPorts,
  thrown: unknown,
  { endpoint }: { readonly endpoint: string },
): Promise<unknown> {
  const failure = Failure.from(thrown);
  const { cause } = failure;
  const nobody = cause instanceof ModelFault && cause.kind === "unreachable";
  if (!nobody || !isLocal({ endpoint })) return thrown;
  const { servers } = await lookAround(ports, registry(), []);
  // The memory of this machine is not known here; a server offers what it can load.
  const [best] = ranked(servers, { memoryBytes: Infinity });
  if (best === undefined) return thrown;
  const { models } = servers.find((server) => server.endpoint === best.endpoint)!;
  const named = shellWord(`${best.endpoint}#${best.id}`);
  return new Failure(
    failure.code,
    `${failure.message}. But ${best.provider} answers at "${best.endpoint}", with ` +
      counted(models.length, "model"),
    {
      cause,
      remedy: `svc setup --model-endpoint ${named}, which keeps it for every repo; or for this ` +
        `time: --model-endpoint ${named}`,
    },
  );
}
