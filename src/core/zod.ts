/** Loaded by path where a shape is needed late: zod costs 18 ms at start-up. */
export { z } from "zod";
