/** The keys of a service whose terminal shows lines: what they do is said in lines too. */
import { Failure } from "svc/core/failure.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { KeyActions } from "./key_actions.ts";
import { KEY_HELP, KeyReader, KEYS } from "./keys.ts";
import type { TerminalPorts } from "./live.ts";

type KeyLinePorts = Pick<TerminalPorts, "clock" | "log"> & {
  readonly terminal: Pick<TerminalPorts["terminal"], "giveBack" | "listen" | "takeKeys">;
};

const KEYS_LINE = `keys: ${KEYS.map(({ keys: [key], short }) => `${key} ${short}`).join(", ")}`;

/** Until the service is done. Without keys it runs on, and Ctrl-C still works. */
export async function hearKeys(
  { clock, log, terminal }: KeyLinePorts,
  service: Service,
  say: (text: string) => void,
): Promise<void> {
  let [help, said] = [false, ""];
  const actions = new KeyActions({ clock, log }, service, () => {
    if (actions.help !== help) { for (const [keys, about] of KEY_HELP) say(`${keys}: ${about}`); }
    const { notice = "" } = actions;
    if (notice !== "" && notice !== said) say(notice);
    [help, said] = [actions.help, notice];
  });
  try {
    await terminal.takeKeys();
  } catch (thrown) {
    return log.write("info", "no keys are heard", { why: Failure.from(thrown).message });
  }
  try {
    say(KEYS_LINE);
    const reader = new KeyReader();
    terminal.listen((typed) => reader.read(typed).forEach((action) => actions.press(action)))
      .catch((thrown) => log.write("warn", "the keys cannot be read", { cause: thrown }));
    await service.done.catch(() => {}); // whoever started the service sees the error
  } finally {
    await terminal.giveBack();
  }
}
