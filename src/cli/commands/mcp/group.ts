export const about = "Serve the tools of agents to other programs";
