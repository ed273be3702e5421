// All that tests and pictures of the whole page go through.

// Each view with its tabs, and what is selected on it.
export const kViews = [
  "overview",
  "timeline",
  "timeline?slice=0.0.5&q=a",
  "timeline?range=1000000~20000000",
  "kernels",
  "kernels?tab=kernels",
  "kernels?tab=mfu",
  "kernels?tab=operators",
  "modules",
  "modules?tab=modules",
  "modules?tab=python",
  "idle",
  "memory",
  "communication",
  "communication?tab=links",
  "communication?tab=pipeline",
  "communication?tab=steps",
  "communication?tab=grid",
  "communication?tab=collectives",
  "host",
  "host?tab=Lead over the device",
  "advisor",
  "compare",
  "sql?sql=select 1 as one",
];
