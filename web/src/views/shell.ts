// The frame of the page: what is looked at, which profile and step, views, commands.

import { h, replace_children } from "../dom/element";
import { open_command_palette } from "../keys/command_palette";
import { open_help } from "../keys/help";
import { find_binding, is_typing, kPageKeys } from "../keys/keymap";
import { choose_time_unit, type UnitChoice } from "../text/numbers";
import {
  choose_theme,
  is_dark,
  on_theme_change,
  theme_choice,
  type ThemeChoice,
} from "../theme/theme";
import { TimelineView } from "../timeline/view";
import { fit } from "../timeline/viewport";
import type { Place, Profile } from "../api/types";
import { ComparisonBar, kCompared } from "./comparison_bar";
import { beside } from "./compared_parts";
import { kFresh, type Command, type Context, type View, type ViewKind } from "./context";
import { choice, failure } from "./parts";
import { kViews } from "./views";

const kUnits = [
  { value: "", title: "Units: fitting" },
  { value: "ns", title: "ns" },
  { value: "us", title: "µs" },
  { value: "ms", title: "ms" },
  { value: "s", title: "s" },
];

// Of these a view is made anew; of all, when a link is followed.
const kWholeView = ["view", "p", "step", "unit", ...kCompared] as const;

export class Shell {
  readonly element: HTMLElement;
  private readonly top = h("header", { class: "top" });
  private readonly tabs = h("nav", { class: "tabs", "aria-label": "Views" });
  private readonly banners = h("div", {});
  private readonly main = h("main", { class: "view", id: "view" });
  private timeline: TimelineView | null = null;
  private view: View | null = null;
  private view_key = "";
  private simulated = false; // Told by a profile that was read.
  private readonly compared: ComparisonBar;
  private readonly reading = h("span", { class: "reading", role: "status" });
  private readonly unfinished = new Map<number, Profile>(); // Being read, by profile.

  constructor(private readonly context: Omit<Context, "go_to_slice" | "go_to_time" | "toast">) {
    this.element = h("div", { class: "shell" }, this.top, this.tabs, this.banners, this.main);
    this.compared = new ComparisonBar(context);
    const { store } = context;
    store.listen(null, (changed, followed) => {
      if (followed) this.follow_link();
      else if (kWholeView.some((key) => changed.has(key))) this.show();
    });
    store.listen(["p", "step"], () => this.draw_top());
    store.listen(["view"], () => this.draw_tabs());
    document.addEventListener("keydown", (event) => this.on_key(event));
    context.profiles.on_progress((profile) => {
      this.tell_reading(profile);
      if (!profile.simulated || this.simulated) return;
      this.simulated = true;
      this.draw_banners();
    });
    on_theme_change(() => {
      this.draw_top();
      if (this.view && this.view !== this.timeline) this.show(true);
    });
    this.draw_top();
    this.draw_tabs();
    this.draw_banners();
    this.show();
  }

  // What views get.
  private get full_context(): Context {
    return {
      ...this.context,
      go_to_slice: (place) => this.go_to_slice(place),
      go_to_time: (p, begin, end) => this.go_to_time(p, begin, end),
      toast: (text) => this.toast(text),
    };
  }

  private go_to_slice([p, lane, event]: Place): void {
    const { store } = this.context;
    const { ranks } = store.state;
    store.set(
      {
        slice: { p, lane, event },
        t: null,
        view: "timeline",
        ...(ranks.length > 0 && !ranks.includes(p)
          ? { ranks: [...ranks, p] }
          : ranks.length === 0
            ? { p }
            : {}),
      },
      "push",
    );
    if (this.timeline)
      void this.timeline.model.load().then(() => this.timeline?.model.go_to([p, lane, event]));
  }

  private go_to_time(p: number, begin: number, end: number): void {
    const { store } = this.context;
    const span = { begin, end: Math.max(end, begin + 1) };
    const wide = fit(span, { begin: -Infinity, end: Infinity }, end > begin ? 1 : 20000);
    store.set(
      {
        view: "timeline",
        p,
        range: end > begin ? [begin, end] : null,
        range_lanes: [],
        t: [wide.begin, wide.end],
      },
      "push",
    );
    const { timeline } = this;
    if (timeline) {
      void timeline.model.load().then(() => {
        timeline.model.show(fit(span, timeline.model.whole, end > begin ? 1 : 20000), true);
        timeline.model.emit("range");
      });
    }
  }

  private toast(text: string): void {
    document.querySelector(".toast")?.remove();
    const toast = h("div", { class: "toast", role: "status" }, text);
    document.body.append(toast);
    setTimeout(() => toast.remove(), 4000);
  }

  private kinds(): ViewKind[] {
    return kViews.filter((kind) => !kind.needs_server || !this.context.source.is_report);
  }

  private draw_top(): void {
    const { session, store, profiles, source } = this.context;
    this.compared.draw();
    const { p, step } = store.state;
    const ranks = session.profiles.map((each) => ({
      value: String(each.id),
      title: profiles.label(each.id),
    }));
    const steps = h("span", { class: "with-label" });
    void profiles
      .load(p)
      .then((profile) => {
        const told = profile.steps.filter((each) => source.tells_of_step(p, each.number));
        if (profile.steps.length < 2 || told.length === 0) return;
        const entries = [
          { value: "", title: "All steps" },
          ...told.map((each) => ({
            value: String(each.number),
            title: `Step ${each.number}`,
          })),
        ];
        replace_children(
          steps,
          choice("Step", entries, step === null ? "" : String(step), (value) =>
            store.set({ step: value === "" ? null : Number(value), base_range: null }, "push"),
          ),
        );
      })
      .catch(() => {});
    replace_children(
      this.top,
      h("h1", {}, "npuprof"),
      h("span", { class: "title", title: session.title }, session.title),
      ranks.length > 1 &&
        h(
          "span",
          { class: "with-label" },
          choice("Rank", ranks, String(p), (value) =>
            store.set(
              { p: Number(value), slice: null, t: null, range: null, ranks: [], base_range: null },
              "push",
            ),
          ),
        ),
      steps,
      this.compared.element,
      this.reading,
      h("span", { class: "spring" }),
      h(
        "button",
        { type: "button", class: "button commands", onclick: () => this.open_commands() },
        "Commands and lanes",
        h("kbd", {}, "ctrl + k"),
      ),
      choice("Units of time", kUnits, store.state.unit, (unit) => store.set({ unit })),
      this.theme_button(),
      h(
        "button",
        {
          type: "button",
          class: "button quiet icon",
          "aria-label": "Keys and mouse",
          title: "Keys and mouse ( ? )",
          onclick: () => open_help(),
        },
        "?",
      ),
    );
  }

  // Said at the top, whatever the view: it may show some ranks while others are still being read.
  private tell_reading(profile: Profile): void {
    if (profile.state === "ready" || profile.state === "failed")
      this.unfinished.delete(profile.id);
    else this.unfinished.set(profile.id, profile);
    const [first, ...others] = [...this.unfinished.values()];
    const what =
      first && others.length === 0
        ? this.context.profiles.label(first.id)
        : `${others.length + 1} ranks`;
    const stage = others.length === 0 && first?.progress ? `: ${first.progress.what}` : "";
    this.reading.textContent = first ? `Still reading ${what}${stage} …` : "";
  }

  private theme_button(): HTMLElement {
    const next: Record<ThemeChoice, ThemeChoice> = {
      system: is_dark() ? "light" : "dark",
      light: "dark",
      dark: "light",
    };
    const label = is_dark() ? "Light colours" : "Dark colours";
    return h(
      "button",
      {
        type: "button",
        class: "button quiet icon",
        "aria-label": label,
        title: label,
        onclick: () => choose_theme(next[theme_choice()]),
      },
      is_dark() ? "☀" : "☾",
    );
  }

  private draw_tabs(): void {
    const { store } = this.context;
    replace_children(
      this.tabs,
      this.kinds().map((kind) =>
        h(
          "a",
          {
            href: store.link({ view: kind.name, ...kFresh }),
            // The link holds the state of the moment it is used.
            onpointerenter: (event) =>
              (event.currentTarget as HTMLAnchorElement).setAttribute(
                "href",
                store.link({ view: kind.name, ...kFresh }),
              ),
            ...(kind.name === store.state.view ? { "aria-current": "page" } : {}),
            onclick: (event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              store.set({ view: kind.name, ...kFresh }, "push");
            },
          },
          kind.title,
        ),
      ),
    );
  }

  private draw_banners(): void {
    const { session } = this.context;
    const texts: string[] = [];
    if (session.simulated || this.simulated)
      texts.push(
        session.banner ||
          "These profiles come from a simulated NPU: times are those of a model, not of a device.",
      );
    else if (session.banner) texts.push(session.banner);
    replace_children(
      this.banners,
      texts.length > 0 &&
        h(
          "section",
          { "aria-label": "About this profile" },
          texts.map((text) => h("div", { class: "banner", role: "note" }, text)),
        ),
    );
  }

  private follow_link(): void {
    this.draw_top();
    this.timeline?.follow_link();
    this.show(true);
  }

  // Views of one profile are made anew for another; the timeline stays as it was left.
  private show(again = false): void {
    const { store } = this.context;
    const { state } = store;
    choose_time_unit(state.unit as UnitChoice);
    const kind = this.kinds().find((each) => each.name === state.view) ?? this.kinds()[0]!;
    const { p, step, unit } = state;
    // The view of comparisons draws itself anew when the other side changes.
    const other = kind.name === "compare" ? null : beside(state);
    const key = JSON.stringify(
      kind.name === "timeline" ? [kind.name] : [kind.name, p, step, unit, other],
    );
    if (key === this.view_key && !again) return;
    this.view_key = key;
    if (this.view && this.view !== this.timeline) this.view.destroy();
    document.title = `${kind.title} · ${this.context.session.title} · npuprof`;
    try {
      this.view = this.make(kind);
      this.main.classList.toggle("fills", this.view.fills ?? false);
      this.main.replaceChildren(this.view.element);
      this.main.scrollTop = 0;
      this.view.shown?.();
    } catch (error) {
      this.main.replaceChildren(failure(error));
    }
  }

  private make(kind: ViewKind): View {
    if (kind.name !== "timeline") return kind.make(this.full_context);
    this.timeline ??= new TimelineView(this.full_context);
    return this.timeline;
  }

  private commands(): Command[] {
    const { store, session, profiles } = this.context;
    const views = this.kinds().map((kind) => ({
      title: kind.title,
      group: "View",
      run: () => store.set({ view: kind.name, ...kFresh }, "push"),
    }));
    const ranks =
      session.profiles.length > 1
        ? session.profiles.map((each) => ({
            title: profiles.label(each.id),
            group: "Rank",
            run: () => store.set({ p: each.id, slice: null, t: null, ranks: [] }, "push"),
          }))
        : [];
    return [
      ...views,
      { title: "Keys and mouse", group: "Help", keys: "?", run: () => open_help() },
      {
        title: is_dark() ? "Light colours" : "Dark colours",
        group: "Page",
        run: () => choose_theme(is_dark() ? "light" : "dark"),
      },
      { title: "Colours as the system has them", group: "Page", run: () => choose_theme("system") },
      { title: "Copy a link to what is shown", group: "Page", run: () => void this.copy_link() },
      ...(this.view?.commands?.() ?? []),
      ...ranks,
    ];
  }

  private async copy_link(): Promise<void> {
    try {
      await navigator.clipboard.writeText(
        `${location.origin}${location.pathname}${this.context.store.link()}`,
      );
      this.toast("Link copied. It holds what is shown, and not the token.");
    } catch {
      this.toast("The address of the page is the link.");
    }
  }

  private open_commands(): void {
    open_command_palette(this.commands());
  }

  private on_key(event: KeyboardEvent): void {
    const binding = find_binding(event, kPageKeys);
    if (!binding || document.querySelector("dialog[open]")) return;
    if (is_typing(event.target) && !event.ctrlKey && !event.metaKey) return;
    if (binding.action === "search") {
      if (this.view !== this.timeline || !this.timeline) {
        const field = this.main.querySelector<HTMLInputElement>("input[type=search]");
        if (!field) return;
        field.focus();
      } else this.timeline.focus_search();
    } else if (binding.action === "commands") this.open_commands();
    else open_help();
    event.preventDefault();
  }
}
