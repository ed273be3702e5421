// The bar above the timeline: search, which ranks and lanes, flows.

import { button, h } from "../dom/element";
import { open_menu } from "../dom/menu";
import { count_of } from "../text/numbers";
import type { FlowLayer } from "./flow_layer";
import type { TimelineModel } from "./model";

interface ClocksReply {
  clocks: { p: number; offset: number | null; collectives: number }[];
}

function ranks_button(model: TimelineModel): HTMLElement | null {
  const { session, store } = model.context;
  if (session.profiles.length < 2) return null;
  const shown = model.ranks;
  const set_ranks = (ranks: number[]) => store.set({ ranks }, "push");
  const toggle = (p: number) => {
    const next = shown.includes(p)
      ? shown.filter((each) => each !== p)
      : [...shown, p].sort((a, b) => a - b);
    if (next.length > 0) set_ranks(next);
  };
  return button(
    `Ranks: ${shown.length} of ${session.profiles.length} ▾`,
    (event) => {
      open_menu(event.currentTarget as HTMLElement, [
        { title: "All ranks", run: () => set_ranks(session.profiles.map((each) => each.id)) },
        { title: "This rank alone", run: () => set_ranks([store.state.p]) },
        ...session.profiles.map((each) => ({
          title: model.context.profiles.label(each.id),
          checked: shown.includes(each.id),
          run: () => toggle(each.id),
        })),
      ]);
    },
    { "aria-haspopup": "menu" },
  );
}

function align_button(model: TimelineModel): HTMLElement | null {
  if (model.profiles.length < 2) return null;
  const { store, source, toast } = model.context;
  const moved = Object.values(store.state.offsets).some((ns) => ns !== 0);
  const by_collectives = async () => {
    try {
      const reply = (await source.json("cluster/collectives", {
        ranks: model.ranks.join(","),
      })) as ClocksReply;
      const found = reply.clocks.filter((clock) => clock.offset !== null);
      store.set({ offsets: Object.fromEntries(found.map(({ p, offset }) => [p, offset!])) });
      model.rebuild();
      const pairs = Math.max(...found.map((clock) => clock.collectives), 0);
      toast(
        pairs === 0
          ? "These ranks have no collectives in common."
          : `Aligned by ${count_of(pairs, "collective")}.`,
      );
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  };
  return button(
    moved ? "Aligned ▾" : "Align ▾",
    (event) => {
      open_menu(event.currentTarget as HTMLElement, [
        { title: "By collectives of all ranks", run: () => void by_collectives() },
        { title: "By their first steps", run: () => align_steps(model) },
        { title: "As they were recorded", run: () => store.set({ offsets: {} }) },
        ...model.profiles
          .slice(1)
          .map((each) => ({
            title: `Offset of ${each.label} …`,
            run: () => offset_dialog(model, each.p, each.label),
          })),
      ]);
    },
    { "aria-haspopup": "menu" },
  );
}

// Any offset, in ns; a negative one moves the rank to earlier times.
function offset_dialog(model: TimelineModel, p: number, label: string): void {
  const { store } = model.context;
  const field = h("input", {
    class: "field",
    type: "number",
    value: store.state.offsets[p] ?? 0,
    "aria-label": `Offset of ${label} in ns`,
  });
  const dialog = h(
    "dialog",
    { class: "offset", "aria-label": `Offset of ${label}` },
    h(
      "form",
      {
        method: "dialog",
        class: "bar",
        onsubmit: () => {
          store.set({ offsets: { ...store.state.offsets, [p]: Number(field.value) || 0 } });
        },
      },
      h("label", {}, `${label} later by `, field, " ns"),
      h("button", { class: "button main" }, "Move"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function align_steps(model: TimelineModel): void {
  const offsets: Record<number, number> = {};
  const first = model.profiles[0];
  if (!first) return;
  const { offsets: now } = model.context.store.state;
  const begin_of = (each: typeof first) =>
    model.clock.to_page(each.p, each.profile.steps[0]?.begin ?? each.profile.begin) -
    (now[each.p] ?? 0);
  for (const each of model.profiles) offsets[each.p] = Math.round(begin_of(first) - begin_of(each));
  model.context.store.set({ offsets });
}

function flows_button(model: TimelineModel, layer: FlowLayer): HTMLElement {
  const { store } = model.context;
  const on = store.state.flows.split(",").filter(Boolean);
  return button(
    on.length > 0 ? `Flows: ${on.length} ▾` : "Flows ▾",
    (event) => {
      const anchor = event.currentTarget as HTMLElement;
      void layer
        .list()
        .catch(() => {})
        .then(() =>
          open_menu(
            anchor,
            layer.kinds.length === 0
              ? [{ title: "This profile has no flows", run: () => {} }]
              : layer.kinds.map(({ kind, count }) => ({
                  title: count === undefined ? kind : `${kind} (${count})`,
                  checked: on.includes(kind),
                  run: () =>
                    store.set({
                      flows: (on.includes(kind)
                        ? on.filter((each) => each !== kind)
                        : [...on, kind]
                      ).join(","),
                    }),
                })),
          ),
        );
    },
    {
      "aria-haspopup": "menu",
      title: "Flows of the selection are always drawn; whole kinds can be added",
    },
  );
}

export function toolbar(model: TimelineModel, search: HTMLElement, layer: FlowLayer): HTMLElement {
  const { store } = model.context;
  const filter = h("input", {
    class: "field tl-filter",
    type: "search",
    placeholder: "Filter lanes",
    "aria-label": "Filter lanes",
    value: store.state.lanes,
    oninput: () => store.set({ lanes: filter.value }),
  });
  const { hidden_count } = model.tree;
  return h(
    "div",
    { class: "bar tl-bar" },
    filter,
    h("span", { class: "tl-hidden faint" }, hidden_count > 0 ? `${hidden_count} hidden` : ""),
    hidden_count > 0 &&
      button("Show them", () => store.set({ hidden: [] }), { class: "button quiet" }),
    ranks_button(model),
    align_button(model),
    flows_button(model, layer),
    h("span", { class: "spring" }),
    search,
    button("Fit all", () => model.reset(), { class: "button quiet", title: "0" }),
  );
}
