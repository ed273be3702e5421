import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/shell.css";
import "./theme/tables.css";
import "./theme/charts.css";
import "./theme/timeline.css";
import { Server, type Source } from "./api/client";
import { Profiles } from "./api/profiles";
import { Report } from "./api/report";
import { take_token } from "./api/token";
import type { Session } from "./api/types";
import { h, replace_children } from "./dom/element";
import { Store } from "./state/store";
import { start_theme } from "./theme/theme";
import { failure } from "./views/parts";
import { Shell } from "./views/shell";

async function source(): Promise<Source> {
  if (window.npuprofReport) return new Report(window.npuprofReport);
  return new Server(await take_token());
}

async function start(page: HTMLElement): Promise<void> {
  start_theme();
  try {
    const from = await source();
    const session = (await from.json("session", {})) as Session;
    const store = new Store(location.hash);
    if (!session.profiles.some((each) => each.id === store.state.p))
      store.set({ p: session.profiles[0]?.id ?? 0 });
    const profiles = new Profiles(from, session);
    replace_children(page, new Shell({ source: from, session, profiles, store }).element);
  } catch (error) {
    replace_children(page, h("main", {}, failure(error)));
  }
}

const page = document.getElementById("page");
if (page) void start(page);
