/** Variables whose values are svc's own or the code host's: no provider of models ever gets one. */

/** `SVC_*`: secrets of the dashboard, of webhooks, of telemetry. The others: tokens of git, gh and releases. */
const OWN =
  /^(?:SVC_.*|CODEHOST_TOKEN|GITHUB_TOKEN|GH_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN)$/i;

export function isOwnCredential(envName: string): boolean {
  return OWN.test(envName);
}

export const OWN_CREDENTIAL = "is a credential of svc or of the code host, never a provider's key";

export const OWN_CREDENTIAL_REMEDY =
  "Put the provider's key into a variable of its own, such as OPENAI_API_KEY, and name that";
