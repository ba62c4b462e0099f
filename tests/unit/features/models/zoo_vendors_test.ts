/** svc against the strict servers of OpenAI Responses and Anthropic Messages, in the vendors' own protocols. */
import { VENDORS } from "tests/kit/servers/vendor_entries.ts";
import { zooTests } from "tests/kit/servers/zoo_flows.ts";

zooTests(VENDORS);
