export const about = "Measure what the code graph does for agents";
