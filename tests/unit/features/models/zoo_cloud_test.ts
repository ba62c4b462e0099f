/** svc against the clouds of the strict zoo that speak chat completions: what each vendor publishes, to the letter. */
import { CLOUDS } from "tests/kit/servers/cloud_entries.ts";
import { zooTests } from "tests/kit/servers/zoo_flows.ts";

zooTests(CLOUDS);
