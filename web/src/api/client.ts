// Questions to the server, with the token that the address of the page brought.

import type { ErrorReply } from "./types";

export type Parameters = Record<string, string | number | boolean | null | undefined>;

export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly needs = "",
    readonly collect = "",
  ) {
    super(message);
  }
}

// Where replies come from: the server, or what was written into the page.
export interface Source {
  readonly is_report: boolean;
  tells_of_step(p: number, step: number): boolean;
  json(path: string, parameters: Parameters, signal?: AbortSignal): Promise<unknown>;
  binary(path: string, parameters: Parameters, signal?: AbortSignal): Promise<ArrayBuffer>;
}

// Sorted, so that equal questions have equal addresses.
export function address(path: string, parameters: Parameters): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(String(value === true ? 1 : value === false ? 0 : value))}`,
    );
  return `/api/${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}

async function error_of(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as ErrorReply;
    return new ApiError(error.message, error.code, error.needs, error.collect);
  } catch {
    return new ApiError(`The server answered with status ${response.status}.`, "http");
  }
}

const kPause = 150; // ms

export class Server implements Source {
  readonly is_report = false;
  constructor(private readonly token: string) {}

  tells_of_step(): boolean {
    return true;
  }

  async json(path: string, parameters: Parameters, signal?: AbortSignal): Promise<unknown> {
    return (await this.ask(path, parameters, signal)).json();
  }

  async binary(path: string, parameters: Parameters, signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await this.ask(path, parameters, signal)).arrayBuffer();
  }

  // A profile that is still being read answers later.
  private async ask(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
    for (;;) {
      const response = await this.fetch(path, parameters, signal);
      if (response.ok) return response;
      const error = await error_of(response);
      if (error.code !== "loading") throw error;
      await new Promise((resolve) => setTimeout(resolve, kPause));
      signal?.throwIfAborted();
    }
  }

  private async fetch(
    path: string,
    parameters: Parameters,
    signal?: AbortSignal,
  ): Promise<Response> {
    try {
      return await fetch(address(path, parameters), {
        headers: { "X-Npuprof-Token": this.token },
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (is_abort(error)) throw error;
      throw new ApiError("The server does not answer: is `npuprof view` still running?", "gone");
    }
  }
}

export function is_abort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
