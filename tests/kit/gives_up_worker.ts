/** Connects where it is told to, and says whether it could. */
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<Deno.ConnectOptions>) => void;
  postMessage(message: boolean): void;
};
scope.onmessage = async ({ data }) => {
  const reached = await Deno.connect(data).then((socket) => {
    socket.close();
    return true;
  }, () => false);
  scope.postMessage(reached);
};
scope.postMessage(true);
