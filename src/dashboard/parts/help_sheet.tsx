/** The keys, as the table of shortcuts has them. */
import { keysOn } from "svc/dashboard/state/prefs.ts";
import { SHORTCUTS } from "svc/dashboard/state/shortcuts.ts";
import { Keys } from "./facts.tsx";
import { Dialog } from "./dialog.tsx";

export function HelpSheet() {
  return (
    <Dialog title="Keys" wide>
      <div class="help">
        {Object.entries(SHORTCUTS).map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {shortcuts.map(({ keys, about }) => (
                <li key={about}>
                  <span>{about}</span>
                  <Keys keys={keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={keysOn.value}
          onChange={(event) => keysOn.value = event.currentTarget.checked}
        />
        Single keys are shortcuts in this browser
      </label>
    </Dialog>
  );
}
