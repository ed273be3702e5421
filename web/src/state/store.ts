// The state of the page in one place; views listen to the keys they show. The address follows.

import { fragment_to_state, state_to_fragment, type PageState } from "./url";

export type StateKey = keyof PageState;
// `followed`: the user opened a link or went back, so that all of the state may be another one.
type Listener = (changed: ReadonlySet<StateKey>, followed: boolean) => void;

export class Store {
  private current: PageState;
  private readonly listeners = new Set<{ keys: readonly StateKey[] | null; call: Listener }>();
  private address_timer = 0;

  constructor(fragment: string) {
    this.current = fragment_to_state(fragment);
    window.addEventListener("hashchange", () => this.read_address());
  }

  get state(): Readonly<PageState> {
    return this.current;
  }

  // A new place in the history of the browser is for what a user would go back from.
  set(patch: Partial<PageState>, history: "push" | "replace" = "replace"): void {
    if (history === "push") this.finish_address();
    const changed = new Set<StateKey>();
    for (const [key, value] of Object.entries(patch) as [StateKey, never][]) {
      if (JSON.stringify(this.current[key]) === JSON.stringify(value)) continue;
      this.current[key] = value;
      changed.add(key);
    }
    if (changed.size === 0) return;
    this.write_address(history);
    this.notify(changed);
  }

  // Calls at each change of one of `keys`, all without them; returns what ends that.
  listen(keys: readonly StateKey[] | null, call: Listener): () => void {
    const listener = { keys, call };
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  link(patch: Partial<PageState> = {}): string {
    return state_to_fragment({ ...this.current, ...patch });
  }

  private notify(changed: ReadonlySet<StateKey>, followed = false): void {
    for (const { keys, call } of [...this.listeners]) {
      if (keys === null || keys.some((key) => changed.has(key))) call(changed, followed);
    }
  }

  // Browsers allow few changes of the address in a second: panning writes it at rest.
  private write_address(history: "push" | "replace"): void {
    if (history === "push") {
      window.history.pushState(null, "", this.link());
      return;
    }
    clearTimeout(this.address_timer);
    this.address_timer = window.setTimeout(() => this.finish_address(), 150);
  }

  // What is left behind is to be found again as it was.
  private finish_address(): void {
    if (this.address_timer === 0) return;
    clearTimeout(this.address_timer);
    this.address_timer = 0;
    window.history.replaceState(null, "", this.link());
  }

  private read_address(): void {
    const next = fragment_to_state(location.hash);
    const changed = new Set<StateKey>();
    for (const key of Object.keys(next) as StateKey[]) {
      if (JSON.stringify(next[key]) !== JSON.stringify(this.current[key])) changed.add(key);
    }
    this.current = next;
    clearTimeout(this.address_timer); // What was to be written is not there any more.
    this.address_timer = 0;
    if (changed.size > 0) this.notify(changed, true);
  }
}
