/** Why a promise has no test yet: what the product still lacks, one reason an area. */

export const LOG_FILE = "the commands that take --log-file are not built yet";
export const SURFACE = "the command tree is not complete yet";
export const SETUP = "machine setup, configuration and release access are not built yet";
export const UPDATES = "drift checks and reinstalling are not built yet";
export const STORE = "the store is not built yet";
export const HARNESS = "the target harness is not built yet";
export const TICKETS = "the ticket lifecycle is not built yet";
export const AGENT = "the agent loop is not built yet";
export const MODELS = "model routing and evaluation are not built yet";
export const POLICY = "execution profiles are not built yet";
export const RUNTIME = "the runtime (lifecycle, workers, recovery, events) is not built yet";
export const HTTP = "the HTTP listeners and their gate are not built yet";
export const TELEMETRY = "telemetry is not built yet";
export const DOCTOR = "the doctor is not built yet";
export const RELEASE = "release notes are not built yet";
export const DOCSYNC = "the documentation-sync audit is not built yet";
export const VALIDATION = "validation of live agents is not built yet";
