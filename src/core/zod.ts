/**
 * The parts of zod that are used; `import { z } from "zod"` leads here (deno.json). Where a shape is needed
 * late, it is loaded by path, since zod costs 18 ms at start-up.
 */
export * as z from "./zod_parts.ts";
