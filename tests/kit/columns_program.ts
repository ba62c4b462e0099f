/** Prints what width svc takes its terminal for. */
import { denoEntrance } from "svc/platform/entrance.ts";

const { stdout } = denoEntrance(import.meta.url);
stdout.write(`columns: ${stdout.columns()}\n`);
