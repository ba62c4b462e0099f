/** The JSON Schema of `.harness/manifest.yaml`, derived from the shape that svc itself checks with. */
import { z } from "zod";
import { Manifest } from "svc/features/harness/manifest_shape.ts";

export function manifestSchema(): string {
  const schema = z.toJSONSchema(Manifest, { io: "input" });
  const titled = { $schema: schema.$schema, title: "svc harness manifest", ...schema };
  return `${JSON.stringify(titled, null, 2)}\n`;
}
