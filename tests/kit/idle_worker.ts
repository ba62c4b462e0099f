/** A Worker that was started before its work was known: tells whether it was, and what it may do. */
let ahead = 0;
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent) => void;
  postMessage(message: unknown): void;
};

/** Exit: 1 for each message ahead, 10 where it may reach the host, 100 where it may write the file. */
scope.onmessage = ({ data }) => {
  if ("ahead" in data) {
    ahead++;
    return;
  }
  if ("stop" in data || "hurry" in data) return;
  const may = (permission: Deno.PermissionDescriptor) =>
    Deno.permissions.querySync(permission).state === "granted";
  const reaches = may({ name: "net", host: data.host });
  const writes = may({ name: "write", path: data.file });
  scope.postMessage({ exit: ahead + (reaches ? 10 : 0) + (writes ? 100 : 0) });
};
