/** Lets a person choose one of a list, by arrow keys where the terminal can, else by number. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { visible } from "svc/core/visible_text.ts";
import { styledOn } from "svc/cli/page/page.ts";
import type { MenuItem } from "svc/platform/prompt.ts";
import type { CommonOptions } from "./command.ts";

export interface MenuOption<T> extends MenuItem {
  readonly value: T;
}

interface MenuRequest<T> {
  /** Completes "Cannot …", such as "set up svc". */
  readonly doing: string;
  readonly question: string;
  readonly options: readonly MenuOption<T>[];
}

type MenuPorts = Pick<App, "env" | "load" | "progress" | "signal" | "stderr" | "stdout">;

/** Columns below which a drawn list would wrap each of its lines. */
const LEAST_COLUMNS = 40;

const canDraw = ({ env, stdout }: MenuPorts, { plain }: CommonOptions): boolean =>
  !plain && styledOn(stdout, env) && (stdout.columns() ?? 0) >= LEAST_COLUMNS;

async function answerOf(
  app: MenuPorts,
  given: CommonOptions,
  question: string,
  items: readonly MenuItem[],
): Promise<number | undefined> {
  if (canDraw(app, given)) {
    const { arrowMenu } = await app.load("src/platform/menu");
    return await arrowMenu(question, items);
  }
  const { numberedMenu } = await app.load("src/platform/numbered_menu");
  return await numberedMenu(question, items, (text) => app.stderr.write(text));
}

/** The first option is the one that Enter takes. @throws Failure `interrupted` where the person leaves instead */
export async function choose<T>(
  app: MenuPorts,
  given: CommonOptions,
  { doing, question, options }: MenuRequest<T>,
): Promise<T> {
  app.progress.done();
  const left = new Failure("interrupted", `Cannot ${doing}: no answer was given`, {
    remedy: "Nothing was written; run it again, or see its flags with --help",
  });
  const items = options.map(({ label, hint }) => ({
    label: visible(label),
    ...(hint !== undefined && { hint: visible(hint) }),
  }));
  const gone = Promise.withResolvers<undefined>();
  const leave = () => gone.resolve(undefined);
  app.signal.addEventListener("abort", leave, { once: true });
  try {
    const at = await Promise.race([
      answerOf(app, given, visible(question), items),
      gone.promise,
    ]);
    if (at === undefined) throw left;
    return options[at]!.value;
  } finally {
    app.signal.removeEventListener("abort", leave);
  }
}
