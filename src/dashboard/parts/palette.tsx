/** The palette of Ctrl-K: finds pages, tickets, jobs, roles and actions (a combobox with a listbox, ARIA APG). */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type Findable, stepped } from "svc/dashboard/state/finder.ts";
import { counted } from "svc/dashboard/state/words.ts";
import { Keys } from "./facts.tsx";
import { Icon } from "./icon.tsx";
import { useModal } from "./modal.ts";
import { useFindables } from "./palette_sources.ts";
import { Found } from "./ticket_facts.tsx";

const idOf = ({ id }: Findable) => `find-${id}`;

function Option(
  { item, query, active, onPick }: {
    readonly item: Findable;
    readonly query: string;
    readonly active: boolean;
    onPick(): void;
  },
) {
  const ref = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (active) ref.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <li
      ref={ref}
      id={idOf(item)}
      role="option"
      class="find-option"
      aria-selected={active}
      onClick={onPick}
      // The focus stays in the field, and with it what a screen reader reads.
      onMouseDown={(event) => event.preventDefault()}
    >
      <span class="find-text" dir="auto">
        <Found text={item.text} query={query} />
      </span>
      {item.about !== undefined && <span class="find-about" dir="auto">{item.about}</span>}
      {item.keys !== undefined && <Keys keys={item.keys} />}
    </li>
  );
}

export function Palette() {
  const { props, close, leave } = useModal();
  const input = useRef<HTMLInputElement>(null);
  const query = useSignal("");
  const wanted = useSignal<string | undefined>(undefined);
  const { shown, busy, fault } = useFindables(query.value);
  const groups = [...new Set(shown.map(({ group }) => group))];
  const ordered = groups.flatMap((group) => shown.filter((item) => item.group === group));
  const active = ordered.find(({ id }) => id === wanted.value) ?? ordered[0];
  useEffect(() => input.current?.focus(), []);

  const pick = (item: Findable | undefined) => {
    if (item === undefined) return;
    leave();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : undefined;
    if (by !== undefined) {
      wanted.value = stepped(ordered.map(({ id }) => id), active?.id, by);
    } else if (event.key === "Enter") pick(active);
    else return;
    event.preventDefault();
  };
  const said = fault !== undefined
    ? `Cannot look for tickets: ${fault}`
    : busy
    ? "Looking…"
    : ordered.length === 0
    ? "Nothing is found"
    : counted(ordered.length, "result");
  return (
    <dialog {...props} class="sheet palette" aria-label="Find">
      <div class="find-field">
        <Icon name="find" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Find a page, ticket, job, role or action"
          aria-autocomplete="list"
          aria-expanded={ordered.length > 0}
          aria-controls="find-list"
          aria-activedescendant={active === undefined ? undefined : idOf(active)}
          placeholder="Find a page, ticket, job, role or action"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            wanted.value = undefined;
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div id="find-list" class="find-list" role="listbox" aria-label="Found">
        {groups.map((group) => (
          <ul key={group} role="group" aria-labelledby={`find-group-${group}`}>
            <li id={`find-group-${group}`} class="find-group" role="presentation">{group}</li>
            {ordered.filter((item) => item.group === group).map((item) => (
              <Option
                key={item.id}
                item={item}
                query={query.value}
                active={item === active}
                onPick={() => pick(item)}
              />
            ))}
          </ul>
        ))}
      </div>
      <p class="find-said" role="status">{said}</p>
    </dialog>
  );
}
