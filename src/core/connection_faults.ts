/** What is said of a connection that was not made, in words that help: certificates, and proxies before a server. */

export interface ConnectionFault {
  /** Completes "… cannot be reached: ". */
  readonly why: string;
  readonly remedy: string;
  /** It is the same until somebody changes something. */
  readonly lasts: boolean;
}

/** The messages of an error and its causes, without the URL, since a URL may hold any word. */
export function causesOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.message.replace(/ for url \(.*?\)/, "");
  return thrown.cause === undefined ? own : `${own}: ${causesOf(thrown.cause)}`;
}

/** How a CA of one's own is trusted. */
export const CA_WAY = "set DENO_CERT to the CA's certificate (PEM), " +
  "or DENO_TLS_CA_STORE=system where this machine trusts it";
const TRUST_CA = `for one of your own CA ${CA_WAY}`;

/** What rustls and Deno say, the first that fits. */
const TLS_FAULTS: readonly (readonly [said: RegExp, why: string, remedy: string])[] = [
  [
    /opening CA file/,
    "the file in DENO_CERT cannot be read",
    "Set DENO_CERT to the CA's certificate",
  ],
  [
    /Expired|NotValidYet/,
    "its certificate is not valid at this time",
    "Renew it, or set the clock",
  ],
  [
    /not valid for name|NotValidForName/,
    "its certificate is for another name",
    "Give the endpoint the name that the certificate has",
  ],
  // What `openssl req -x509` makes; DENO_CERT does not help there.
  [
    /CaUsedAsEndEntity/,
    "its certificate is that of a CA, which is none for a server",
    "Give the server a certificate that a CA signed (basicConstraints=CA:FALSE); " + TRUST_CA,
  ],
  [/peer certificate/, "its certificate is not trusted", `Check the certificate; ${TRUST_CA}`],
  [/corrupt message/, "it does not speak TLS", "Give the endpoint an http URL if it has no TLS"],
  [
    /certificate|tls|handshake/i,
    "it does not speak TLS, or its certificate is not trusted",
    `Check the server's certificate; ${TRUST_CA}`,
  ],
];

const WITH_LOGIN = "HTTPS_PROXY=http://name:password@host:port";

/** RFC 9110, section 15.5.8; of a tunnel, Deno says it in words. */
export const PROXY_LOGIN: ConnectionFault = {
  why: "the proxy before it asks for a login",
  remedy: `Name it in the proxy's address: ${WITH_LOGIN}`,
  lasts: true,
};

/** A proxy says so, too, when the host beyond it does not answer; of one that asks for a login by HTTP/1.0, such as
 * tinyproxy, Deno tells no more than this. */
const PROXY_CLOSED: ConnectionFault = {
  why: "the proxy before it does not let it through",
  remedy:
    `If it asks for a login: ${WITH_LOGIN}; else ask whoever runs it, or go past it: NO_PROXY`,
  lasts: false,
};

/** @param text as `causesOf` gives it; undefined where nothing listens, or the network is away */
export function connectionFault(text: string): ConnectionFault | undefined {
  if (/proxy authentication required/i.test(text)) return PROXY_LOGIN;
  if (/unsuccessful tunnel/i.test(text)) return PROXY_CLOSED;
  const found = TLS_FAULTS.find(([said]) => said.test(text));
  return found && { why: found[1], remedy: found[2], lasts: true };
}

export function unreached(host: string, thrown: unknown): string {
  const fault = connectionFault(causesOf(thrown));
  return `${host} cannot be reached${fault === undefined ? "" : `: ${fault.why}`}`;
}
