// The views of the page, in the order of their tabs.

import { CommunicationView } from "./communication";
import { CompareView } from "./compare";
import type { ViewKind } from "./context";
import { execution_bars, kDrawnTables } from "./head_overhead";
import { IdleView } from "./idle";
import { KernelsView } from "./kernels";
import { MemoryView } from "./memory";
import { mode_view } from "./mode_view";
import { ModulesView } from "./modules";
import { Overview } from "./overview";
import { SqlView } from "./sql";

export const kViews: readonly ViewKind[] = [
  { name: "overview", title: "Overview", make: (context) => new Overview(context) },
  {
    name: "timeline",
    title: "Timeline",
    make: () => {
      throw new Error("The frame keeps the timeline, and makes it once.");
    },
  },
  { name: "kernels", title: "Kernels", make: (context) => new KernelsView(context) },
  { name: "modules", title: "Modules", make: (context) => new ModulesView(context) },
  { name: "idle", title: "Idle", make: (context) => new IdleView(context) },
  { name: "memory", title: "Memory", make: (context) => new MemoryView(context) },
  {
    name: "communication",
    title: "Communication",
    make: (context) => new CommunicationView(context),
  },
  {
    name: "host",
    title: "Host",
    make: (context) =>
      mode_view(context, [
        { mode: "api_statistic", title: "Calls and operators" },
        { mode: "host_lead", title: "Lead over the device" },
        {
          mode: "head_overhead",
          title: "Head overhead of graphs",
          picture: execution_bars,
          instead_of: kDrawnTables,
        },
        { mode: "data_pipeline", title: "Data pipeline" },
        { mode: "serving", title: "Serving" },
      ]),
  },
  {
    name: "advisor",
    title: "Advisor",
    make: (context) => mode_view(context, [{ mode: "advisor", title: "Findings" }]),
  },
  {
    name: "compare",
    title: "Compare",
    needs_server: true,
    make: (context) => new CompareView(context),
  },
  { name: "sql", title: "SQL", needs_server: true, make: (context) => new SqlView(context) },
];
