/** What `svc setup` saw, under the names of its `--json` object. */
import type { ReleaseAccess } from "svc/features/access/release_access.ts";
import type { Surroundings } from "svc/features/setup/look_around.ts";
import type { Machine } from "svc/features/setup/machine.ts";

export const seenMachine = (machine: Machine) => ({
  arch: machine.arch,
  cores: machine.cores,
  memory_bytes: machine.memoryBytes,
  memory_free_bytes: machine.memoryFreeBytes,
  disk_free_bytes: machine.diskFreeBytes,
  gpus: machine.gpus.map(({ vendor, name, memoryBytes, from }) => ({
    vendor,
    name,
    memory_bytes: memoryBytes,
    from,
  })),
});

export const seenAround = ({ servers, strangers, keys }: Surroundings) => ({
  servers: servers.map(({ provider, endpoint, models }) => ({
    provider,
    endpoint,
    models: models.map(({ id, contextWindow, tools }) => ({
      id,
      ...(contextWindow !== undefined && { context_window: contextWindow }),
      ...(tools !== undefined && { tools }),
    })),
  })),
  others: [...strangers],
  keys: keys.map(({ keyEnv }) => keyEnv),
});

export const seenReleases = ({ access, endpoint, latest, reason }: ReleaseAccess) => ({
  access,
  endpoint,
  latest,
  reason,
});
