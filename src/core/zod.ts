/**
 * What `import { z } from "zod"` means here (deno.json): the part of zod that is used. Loaded by path where
 * a shape is needed late, since zod costs 18 ms at start-up.
 */
export * as z from "./zod_parts.ts";
