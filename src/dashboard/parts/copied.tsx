/** A command that a person runs in a terminal, with a button that copies it. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

export function Copied({ of, name }: { readonly of: string; readonly name: string }) {
  const code = useRef<HTMLElement>(null);
  // The command itself: another one in its place was not copied.
  const last = useSignal<string | undefined>(undefined);
  const copied = last.value === of;
  const forbidden = useSignal(false);
  const copy = async () => {
    forbidden.value = false;
    try {
      await navigator.clipboard.writeText(of);
      last.value = of;
    } catch {
      getSelection()?.selectAllChildren(code.current!);
      forbidden.value = true;
    }
  };
  return (
    <span class="copied">
      <code ref={code}>{of}</code>
      <button
        type="button"
        class="icon-button"
        aria-label={copied ? `${name}: copied` : `Copy: ${name}`}
        onClick={() => void copy()}
      >
        <Icon name={copied ? "done" : "copy"} />
      </button>
      {forbidden.value && (
        <span class="bad-word" role="alert">
          This browser lets no page copy. It is selected: copy it yourself
        </span>
      )}
    </span>
  );
}

/** @param folder the repo in which a command is typed, where there are several */
export const inTerminal = (folder: string | undefined): string =>
  folder === undefined ? "In a terminal" : `In a terminal, in the folder of ${folder}`;
