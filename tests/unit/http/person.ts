/** Somebody who has logged in, and asks as a page would. */
import type { DashboardPlace } from "./dashboard_place.ts";

export interface Person {
  get(path: string): Promise<Response>;
  post(path: string, body?: unknown): Promise<Response>;
}

export async function person(place: DashboardPlace): Promise<Person> {
  const { cookie, csrf } = await place.login();
  return {
    get: (path) => fetch(`${place.url}${path}`, { headers: { cookie } }),
    post: (path, body) =>
      fetch(`${place.url}${path}`, {
        method: "POST",
        headers: {
          ...{ cookie, origin: place.url, "x-svc-csrf-token": csrf },
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
