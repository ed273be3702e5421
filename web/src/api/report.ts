// A report in one file: the replies that its views need were written into the page.

import { address, ApiError, type Parameters, type Source } from "./client";

export interface InlinedReport {
  replies: Record<string, unknown>; // By address, with what tells questions apart alone.
  binary: Record<string, string>; // base64, by "slices:<p>".
}

// Parameters that tell what is asked for; others say how much of it.
const kTelling = ["by", "kind", "mode", "p", "q", "step", "with"];

export function report_key(path: string, parameters: Parameters): string {
  return address(path, Object.fromEntries(kTelling.map((name) => [name, parameters[name]])));
}

declare global {
  interface Window {
    npuprofReport?: InlinedReport;
  }
}

export class Report implements Source {
  readonly is_report = true;
  constructor(private readonly report: InlinedReport) {}

  tells_of_step(p: number, step: number): boolean {
    return report_key("overview", { p, step }) in this.report.replies;
  }

  json(path: string, parameters: Parameters): Promise<unknown> {
    const reply = this.report.replies[report_key(path, parameters)];
    if (reply === undefined) return Promise.reject(this.absent());
    return Promise.resolve(reply);
  }

  binary(path: string, parameters: Parameters): Promise<ArrayBuffer> {
    const text = this.report.binary[`${path}:${parameters["p"]}`];
    if (text === undefined) return Promise.reject(this.absent());
    return Promise.resolve(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);
  }

  private absent(): ApiError {
    return new ApiError(
      "This report does not hold that. `npuprof view` on the profile itself shows it.",
      "not_in_report",
    );
  }
}
