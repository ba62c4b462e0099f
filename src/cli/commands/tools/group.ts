export const about = "List the tools that agents have, run one, approve one of a repo";
