/** The key of the model server that svc runs: who cannot read the user's files cannot have the model work for them. */
import type { ModelRoute } from "svc/features/models/client/model.ts";
import type { Files } from "svc/platform/files/files.ts";
import { serverEndpoint } from "./server_plan.ts";

const KEY_BYTES = 32;
const FILE_BYTES = 4_096;

interface KeyPlace {
  readonly models: string;
  readonly port: number;
}

export const serverKeyFile = ({ models, port }: KeyPlace) => `${models}/llama-server-${port}.key`;

type ReadFiles = Pick<Files, "readText" | "stat">;

/** Undefined before the first start. A file that others may read holds no secret. */
export async function keyOfServer(files: ReadFiles, place: KeyPlace): Promise<string | undefined> {
  const path = serverKeyFile(place);
  const facts = await files.stat(path);
  if (facts?.kind !== "file" || (facts.mode & 0o077) !== 0) return undefined;
  const text = (await files.readText(path, { maxBytes: FILE_BYTES, lossy: true })).trim();
  return /^[\da-f]{64}$/.test(text) ? text : undefined;
}

/** Made with the first start, and kept: another svc that adopts the server, or starts it again, asks with it. */
export async function keyForServer(
  files: ReadFiles & Pick<Files, "writeAtomic">,
  place: KeyPlace,
): Promise<string> {
  const known = await keyOfServer(files, place);
  if (known !== undefined) return known;
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
  await files.writeAtomic(serverKeyFile(place), `${key}\n`, { mode: 0o600 });
  return key;
}

export interface ServerKeyPorts {
  readonly files: ReadFiles;
  readonly home: { readonly models: string };
}

/** Undefined for every other endpoint, since no other server is given it, and before the first start. */
export async function ownServerKey(
  { files, home }: ServerKeyPorts,
  server: { readonly port: number } | undefined,
  { endpoint, apiKeyEnv }: Pick<ModelRoute, "apiKeyEnv" | "endpoint">,
): Promise<string | undefined> {
  if (server === undefined || apiKeyEnv !== undefined) return undefined;
  if (endpoint !== serverEndpoint(server.port)) return undefined;
  return await keyOfServer(files, { models: home.models, port: server.port });
}
