// Tables as text for other programs.

// A cell that a spreadsheet would take for a formula gets a quote; numbers are written as numbers.
export function csv_cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function csv_text(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => row.map(csv_cell).join(",") + "\n").join("");
}

// Offers `text` as a file, without a server.
export function download(name: string, parts: string[], type = "text/csv"): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
