/** Limits of the dashboard's listener: sessions, bodies, rates, event streams (spec section 8). */

/** A session that is not used ends, and any session ends, after this long: cookies know no ports. */
export const SESSION_IDLE_MS = 30 * 60 * 1000;
export const SESSION_LIFE_MS = 12 * 60 * 60 * 1000;

/** Sessions at a time; with one more the oldest ends. A person has a few browsers, not a hundred. */
export const SESSIONS = 16;

/** Random bytes of a session's id and of its CSRF token: far beyond what can be guessed. */
export const SESSION_ID_BYTES = 32;

/** Cookies of svc's name that one request may bring: another program on this host may set some too. */
export const SESSION_COOKIES = 4;

/** Bodies of controls and of the login, and how deep their JSON may go. */
export const JSON_BODY_BYTES = 16 * 1024;
export const LOGIN_BODY_BYTES = 4 * 1024;
export const JSON_DEPTH = 16;

/** Logins of everybody together, since all come from this machine: so many a minute, and at once. */
export const LOGINS_PER_MINUTE = 10;
export const LOGINS_AT_ONCE = 5;

/** Controls of one session: more than a person's hand does, less than a loop would. */
export const MUTATIONS_PER_MINUTE = 60;
export const MUTATIONS_AT_ONCE = 20;

/** Event streams of one session and of all: a browser opens six connections to a host, two stay free. */
export const STREAMS_PER_SESSION = 4;
export const STREAMS = 32;

/** What a stream begins with at most: the newest events, in number and in bytes. */
export const STREAM_REPLAY_EVENTS = 256;
export const STREAM_REPLAY_BYTES = 1024 * 1024;

/** One event on the wire; a larger one is told of without its data. */
export const STREAM_EVENT_BYTES = 64 * 1024;

/** A client that has so much still to read is cut off; it resumes when it comes back. */
export const STREAM_BEHIND_BYTES = 1024 * 1024;

/** A silent stream says that it lives: proxies and browsers give up after 30 to 60 s. */
export const STREAM_KEEPALIVE_MS = 15_000;

/** When a client comes back after its stream broke. */
export const STREAM_RETRY_MS = 3_000;

/** Looks whether the sessions behind the streams still live: an ended one is cut within 1 s. */
export const STREAM_LOOK_MS = 500;

/** A restart that has not failed by then is answered as begun: it may wait for jobs to end. */
export const RESTART_ANSWER_MS = 2_000;
