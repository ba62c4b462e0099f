/** Lets a person choose one of a list, by arrow keys where the terminal can, else by number. */
import type { App } from "svc/app.ts";
import { asciiOnly } from "svc/core/ascii_marks.ts";
import { visible } from "svc/core/visible_text.ts";
import { styledOn } from "svc/cli/page/page.ts";
import type { MenuItem } from "svc/platform/prompt.ts";
import { unanswered } from "./ask.ts";
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
  !plain && styledOn(stdout, env) && !asciiOnly((name) => env.get(name), stdout.terminal) &&
  (stdout.columns() ?? 0) >= LEAST_COLUMNS;

async function answerOf(
  app: MenuPorts,
  given: CommonOptions,
  question: string,
  items: readonly MenuItem[],
): Promise<number | undefined> {
  if (canDraw(app, given)) {
    const { arrowMenu } = await app.load("src/platform/menu");
    return await arrowMenu(question, items, app.signal);
  }
  const { numberedMenu } = await app.load("src/platform/numbered_menu");
  const write = (text: string) => app.stderr.write(text);
  return await numberedMenu(question, items, { write, signal: app.signal });
}

/** The first option is the one that Enter takes. @throws Failure `interrupted` where the person leaves instead */
export async function choose<T>(
  app: MenuPorts,
  given: CommonOptions,
  { doing, question, options }: MenuRequest<T>,
): Promise<T> {
  app.progress.done();
  const items = options.map(({ label, hint }) => ({
    label: visible(label),
    ...(hint !== undefined && { hint: visible(hint) }),
  }));
  const at = await answerOf(app, given, visible(question), items);
  if (at === undefined) throw unanswered(doing);
  return options[at]!.value;
}
