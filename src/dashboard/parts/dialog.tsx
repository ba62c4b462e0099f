/** A modal dialog: the browser keeps the focus inside, closes it on Escape and restores the focus. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sheet } from "svc/dashboard/state/sheets.ts";
import { Icon } from "./icon.tsx";

export function Dialog(
  { title, children, wide, size = wide === true ? "wide" : "normal" }: {
    readonly title: string;
    readonly children: ComponentChildren;
    readonly wide?: boolean;
    readonly size?: "huge" | "normal" | "wide";
  },
) {
  const ref = useRef<HTMLDialogElement>(null);
  // The close event comes a moment later, when another dialog may be open already.
  const shown = useRef(true);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      shown.current = false;
      dialog?.close();
    };
  }, []);
  const close = () => {
    if (shown.current) sheet.value = undefined;
  };
  return (
    <dialog
      ref={ref}
      class={size === "normal" ? "sheet" : `sheet sheet-${size}`}
      aria-labelledby="sheet-title"
      onClose={close}
      onClick={(event) => event.target === ref.current && close()}
    >
      <div class="sheet-body">
        <header class="sheet-head">
          <h2 id="sheet-title">{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
