import type { Tree } from "./tree.ts";
export const TREE: Tree = {"commands":{"version":{"about":"Print the version of svc","examples":[],"effect":"none","modes":["json","plain"],"flags":{}}},"groups":{}};
