/** Where `import { z } from "zod"` leads (deno.json). Load it late by path: zod costs 18 ms. */
export * as z from "./zod_parts.ts";
