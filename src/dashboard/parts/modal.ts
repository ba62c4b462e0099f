/** A modal dialog: the browser keeps the focus inside, closes it on Escape and restores the focus. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusMain } from "svc/dashboard/state/place.ts";
import { sheet } from "svc/dashboard/state/sheets.ts";

export function useModal() {
  const ref = useRef<HTMLDialogElement>(null);
  // The close event comes a moment later, when another dialog may be open already.
  const shown = useRef(true);
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      shown.current = false;
      dialog?.close();
      // Chromium gives no focus back when the button that was pressed is disabled meanwhile.
      if (document.activeElement !== document.body || !(before instanceof HTMLElement)) return;
      if (before.isConnected) before.focus();
      else focusMain();
    };
  }, []);
  const close = () => {
    if (shown.current) sheet.value = undefined;
  };
  return {
    close,
    /** Closes it at once, so that the focus is given back before something else takes it. */
    leave() {
      shown.current = false;
      ref.current?.close();
      sheet.value = undefined;
    },
    props: {
      ref,
      onClose: close,
      onClick: (event: MouseEvent) => event.target === ref.current && close(),
    },
  };
}
