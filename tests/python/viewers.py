"""Opens a timeline in a viewer and prints what the viewer has of it, as JSON.

    viewers.py FOLDER chrome|perfetto FILE    FOLDER holds the pages of both

A program of its own: it runs in the environment that has Playwright.
"""

import functools
import glob
import http.server
import json
import os
import sys
import threading

from playwright.sync_api import sync_playwright

IN_CHROME = """async (text) => {
  const model = new tr.Model();
  await new tr.importer.Import(model).importTraces([text]);
  const names = {};
  for (const process of model.getAllProcesses()) {
    for (const tid in process.threads) {
      for (const slice of process.threads[tid].sliceGroup.slices) {
        names[slice.title] = (names[slice.title] || 0) + 1;
      }
    }
  }
  return {names, arrows: model.flowEvents.length,
          problems: model.importWarnings.map(warning => warning.message)};
}"""

IN_PERFETTO = """async () => {
  const rows = async (text) => {
    const result = await app.trace.engine.query(text);
    const found = [];
    for (const row = result.iter({}); row.valid(); row.next()) {
      found.push(result.columns().map(column => {
        const value = row.get(column);
        return typeof value === 'bigint' ? Number(value) : value;
      }));
    }
    return found;
  };
  return {
    names: Object.fromEntries(await rows('select name, count(*) from slice group by name')),
    arrows: await rows(`select start.name, finish.name, count(*) from flow
        join slice start on start.id = slice_out join slice finish on finish.id = slice_in
        group by 1, 2`),
    problems: await rows(`select name, value from stats
        where severity in ('error', 'data_loss') and value > 0`),
  };
}"""


def look(browser, address, viewer, path):
    """What the viewer has of the file."""
    page = browser.new_page()
    page.set_default_timeout(120_000)  # Milliseconds; a busy machine takes long to start them.
    if viewer == "chrome":
        page.goto(f"{address}/assets/catapult_trace_viewer.html")
        page.wait_for_function("() => Boolean(window.tr && tr.Model)")
        with open(path, encoding="utf-8") as file:
            return page.evaluate(IN_CHROME, file.read())
    page.goto(f"{address}/../index.html")
    page.wait_for_function("() => Boolean(window.app)")
    page.wait_for_selector("input.trace_file", state="attached")
    page.set_input_files("input.trace_file", path)
    page.wait_for_function("() => Boolean(app.trace && app.trace.engine)")
    return page.evaluate(IN_PERFETTO)


def main():
    """Serves the pages to the browser while it looks at the file."""
    folder, viewer, path = sys.argv[1:]
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (version,) = [os.path.basename(found) for found in glob.glob(f"{folder}/v*")]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium",
                                             args=["--no-sandbox"])
        address = f"http://127.0.0.1:{server.server_port}/{version}"
        print(json.dumps(look(browser, address, viewer, path)))
        browser.close()


main()
