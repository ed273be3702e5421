// The token comes once, in the fragment of the address that `npuprof view` printed. It is taken
// out of the address at once, and kept for this tab alone. Other tabs of the page ask for it.

import { split_token } from "../state/url";

const kKey = "npuprof-token";
const kChannel = "npuprof-token";

function kept_token(): string {
  try {
    return sessionStorage.getItem(kKey) ?? "";
  } catch {
    return "";
  }
}

function keep(token: string): void {
  try {
    sessionStorage.setItem(kKey, token);
  } catch {
    // Then a reload needs the printed address again.
  }
}

// Answers tabs of the same origin that were opened by a link.
function answer_others(token: string): void {
  const channel = new BroadcastChannel(kChannel);
  channel.onmessage = (event: MessageEvent) => {
    if (event.data === "who has it?") channel.postMessage({ token });
  };
}

function ask_others(): Promise<string> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(kChannel);
    const done = (token: string) => {
      channel.close();
      resolve(token);
    };
    channel.onmessage = (event: MessageEvent<{ token?: string }>) => {
      if (event.data.token) done(event.data.token);
    };
    channel.postMessage("who has it?");
    setTimeout(() => done(""), 400);
  });
}

export async function take_token(): Promise<string> {
  const { token: brought, rest } = split_token(location.hash);
  if (brought) history.replaceState(null, "", `${location.pathname}${rest ? `#${rest}` : ""}`);
  const token = brought || kept_token() || (await ask_others());
  if (token) {
    keep(token);
    answer_others(token);
  }
  return token;
}
